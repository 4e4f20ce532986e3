import { count } from "../text/format.ts";
import { type Line, line, span, type Tone, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";

/** A patch or numbered diff as coloured rows; the sign at the start of each row says the same as the colour. */
export function diffLines(diff: string, look: Look, options: { indent?: string; most?: number } = {}): Line[] {
  const indent = options.indent ?? "  ";
  const rows = withoutHead(diff.replace(/\n$/, "").split("\n"));
  const most = options.most ?? Number.POSITIVE_INFINITY;
  const shown = rows.length > most ? rows.slice(0, most - 1) : rows;
  const lines = shown.flatMap((row) =>
    wrap([span(indent), span(row, ...tonesOf(row))], look.width, { hard: true, indent: `${indent}  ` }),
  );
  if (shown.length < rows.length) {
    lines.push(line(indent, span(`${signsOf(look).ellipsis} ${count(rows.length - shown.length, "more row")}`, "dim")));
  }
  return lines;
}

/** The two head rows repeat the path that stands above; only there do `---` and `+++` mean a head. */
const withoutHead = (rows: string[]): string[] =>
  rows[0]?.startsWith("--- ") && rows[1]?.startsWith("+++ ") ? rows.slice(2) : rows;

function tonesOf(row: string): Tone[] {
  if (row.startsWith("+")) return ["green"];
  if (row.startsWith("-")) return ["red"];
  if (row.startsWith("@@")) return ["cyan"];
  return ["dim"];
}
