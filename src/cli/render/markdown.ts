import { marked, type Token, type Tokens } from "marked";
import { type Line, line, lineWidth, type Span, span, type Tone, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";

/** Markdown as styled lines that fit the look's width. Walks marked's tokens; nothing is rendered as HTML. */
export function markdownLines(text: string, look: Look): Line[] {
  const out = blocks(marked.lexer(text), look, look.width);
  while (out.length > 0 && lineWidth(out.at(-1)!) === 0) out.pop();
  return out;
}

function blocks(tokens: readonly Token[], look: Look, width: number): Line[] {
  const out: Line[] = [];
  for (const token of tokens) {
    const rows = block(token, look, width);
    if (rows.length === 0) continue;
    // One empty line between blocks, whatever the source had; none between the items of a tight list.
    if (out.length > 0 && token.type !== "text" && token.type !== "checkbox") out.push([]);
    out.push(...rows);
  }
  return out;
}

function block(token: Token, look: Look, width: number): Line[] {
  const signs = signsOf(look);
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return flow(inline(token.tokens ?? [], ["bold"]), width);
    case "code":
      return codeLines((token as Tokens.Code).text, width);
    case "blockquote":
      return blocks(token.tokens ?? [], look, width - 2).map((row) => [span(`${signs.bar} `, "dim"), ...row]);
    case "list":
      return listLines(token as Tokens.List, look, width);
    case "hr":
      return [line(span(signs.rule.repeat(Math.min(Number.isFinite(width) ? width : 20, 20)), "dim"))];
    case "table":
      return tableLines(token as Tokens.Table, look, width);
    case "paragraph":
    case "text":
      return flow(inline(token.tokens ?? [token], []), width);
    default:
      return flow([span(token.raw.trimEnd())], width);
  }
}

const codeLines = (text: string, width: number): Line[] =>
  text.split("\n").flatMap((row) => wrap([span("  "), span(row, "cyan")], width, { hard: true, indent: "  " }));

function listLines(list: Tokens.List, look: Look, width: number): Line[] {
  const signs = signsOf(look);
  return list.items.flatMap((item, position) => {
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const mark = list.ordered ? `${Number(list.start || 1) + position}. ` : `${signs.bullet} `;
    const lead = mark + box;
    return blocks(item.tokens, look, width - lead.length)
      .filter((row) => list.loose || row.length > 0)
      .map((row, index) => [index === 0 ? span(lead, "cyan") : span(" ".repeat(lead.length)), ...row]);
  });
}

/** Aligned columns where they fit; else one block per row, so that nothing is cut on a narrow terminal. */
function tableLines(table: Tokens.Table, look: Look, width: number): Line[] {
  const cell = ({ tokens }: Tokens.TableCell, tones: Tone[]): Span[] => inline(tokens, tones);
  const header = table.header.map((entry) => cell(entry, ["bold"]));
  const rows = table.rows.map((row) => row.map((entry) => cell(entry, [])));
  const widths = header.map((entry, column) =>
    Math.max(...[entry, ...rows.map((row) => row[column] ?? [])].map(lineWidth)),
  );
  const bar = ` ${signsOf(look).bar} `;
  if (widths.reduce((sum, one) => sum + one, 0) + bar.length * (widths.length - 1) <= width) {
    const aligned = (row: Span[][]): Line =>
      row.flatMap((entry, column) => [
        ...(column === 0 ? [] : [span(bar, "dim")]),
        ...entry,
        span(" ".repeat(Math.max(0, widths[column]! - lineWidth(entry)))),
      ]);
    return [aligned(header), ...rows.map(aligned)];
  }
  return rows.flatMap((row) =>
    row.flatMap((entry, column) => flow([...(header[column] ?? []), span(": "), ...entry], width)),
  );
}

/** Line breaks inside the spans start new lines; each of them is wrapped. */
function flow(spans: Span[], width: number): Line[] {
  const rows: Span[][] = [[]];
  for (const part of spans) {
    part.text.split("\n").forEach((text, index) => {
      if (index > 0) rows.push([]);
      if (text !== "") rows.at(-1)!.push({ text, tones: part.tones });
    });
  }
  return rows.flatMap((row) => wrap(row, width));
}

function inline(tokens: readonly Token[], tones: readonly Tone[]): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case "strong":
        return inline(token.tokens ?? [], [...tones, "bold"]);
      case "em":
        return inline(token.tokens ?? [], [...tones, "italic"]);
      case "del":
        return inline(token.tokens ?? [], [...tones, "strikethrough"]);
      case "codespan":
        return [span(token.text, ...tones, "cyan")];
      case "br":
        return [span("\n")];
      case "link":
      case "image": {
        const words = token.tokens?.length
          ? inline(token.tokens, [...tones, "underline"])
          : [span(token.text, ...tones)];
        const same = words.map((part) => part.text).join("") === token.href || token.href === `mailto:${token.text}`;
        return same ? words : [...words, span(` (${token.href})`, "dim")];
      }
      case "checkbox":
        return [];
      case "text":
        return token.tokens?.length ? inline(token.tokens, tones) : [span(token.text, ...tones)];
      case "escape":
        return [span(token.text, ...tones)];
      default:
        return [span(token.raw, ...tones)];
    }
  });
}
