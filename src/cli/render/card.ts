import { type Approval, approvalReasonText } from "../../agent/approval.ts";
import type { Display } from "../../agent/tool.ts";
import { count } from "../text/format.ts";
import { type Line, line, span, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { showBlankRuns } from "../text/sanitise.ts";
import { diffLines } from "./diff.ts";

export interface Card {
  lines: Line[];
  /** Rows that the card does not show; while there are any, it cannot be allowed. */
  hiddenRows: number;
}

/** The whole question: what would run, where, and why it asks. `most` = rows of content before it folds. */
export function approvalCard(
  approval: Approval,
  look: Look,
  options: { most: number; position?: number; of?: number; title?: string },
): Card {
  const signs = signsOf(look);
  const which = (options.of ?? 1) > 1 ? ` ${signs.dot} ${options.position} of ${options.of}` : "";
  const head = wrap(
    line(
      span(signs.asks, "yellow", "bold"),
      " ",
      span(approval.toolName, "bold"),
      ` waits for you${which}`,
      options.title !== undefined && span(` ${signs.dot} ${options.title}`, "dim"),
    ),
    look.width,
  );
  const content = displayLines(approval, { ...look, width: look.width - 2 });
  const shown = content.length > options.most ? content.slice(0, Math.max(1, options.most)) : content;
  const hiddenRows = content.length - shown.length;
  const framed = (row: Line): Line => [span(`${signs.bar} `, "yellow"), ...row];
  const lines = [...head, ...shown.map(framed)];
  if (hiddenRows > 0)
    lines.push(framed(line(span(`${count(hiddenRows, "more row")}: v shows the whole text`, "yellow"))));
  const why = approvalReasonText(approval.reason, approval.reasonDetail);
  const foot = line(span(`in ${approval.cwd} ${signs.dot} ${why}`, "dim"));
  lines.push(...wrap(foot, look.width - 2).map(framed));
  return { lines, hiddenRows };
}

function displayLines(approval: Approval, look: Look): Line[] {
  const displays: Display[] =
    approval.display.length > 0 ? approval.display : [{ kind: "text", text: approval.summary }];
  return displays.flatMap((display) => oneDisplay(display, approval.cwd, look));
}

function oneDisplay(display: Display, cwd: string, look: Look): Line[] {
  switch (display.kind) {
    case "command": {
      const rows = plainRows(showBlankRuns(display.command), look, "bold");
      return display.cwd === cwd ? rows : [...rows, ...plainRows(`in ${display.cwd}`, look)];
    }
    case "diff":
      return [...plainRows(display.path, look, "bold"), ...diffLines(display.patch, look, { indent: "" })];
    case "text":
      return plainRows(showBlankRuns(display.text), look);
  }
}

const plainRows = (text: string, look: Look, ...tones: "bold"[]): Line[] =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((row) => wrap([span(row, ...tones)], look.width, { hard: true }));

/** A long line stands in the card already: repeating it would hide the keys. */
const rememberWords = (text: string): string =>
  text.length <= 24 ? `this session: ${text}` : "this exact line for this session";

/** The keys of a card; `a` only where the answer can be remembered. */
export function cardKeyLines(approval: Approval, look: Look): Line[] {
  const dot = ` ${signsOf(look).dot} `;
  const keys: [string, string][] = [["y", "once"]];
  if (approval.rememberText !== undefined) keys.push(["a", rememberWords(approval.rememberText)]);
  keys.push(["n", "deny"], ["r", "deny with a reason"], ["v", "whole text"]);
  // Blanks that do not break keep a key and its words on one row.
  const parts = keys.flatMap(([key, words], index) => [
    ...(index === 0 ? [] : [span(dot, "dim")]),
    span(key, "bold"),
    span(`\u00a0${words.length < look.width / 2 ? words.replaceAll(" ", "\u00a0") : words}`),
  ]);
  return wrap(parts, look.width).map((row) =>
    row.map((part) => ({ ...part, text: part.text.replaceAll("\u00a0", " ") })),
  );
}
