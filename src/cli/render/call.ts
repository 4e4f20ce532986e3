import { duration } from "../text/format.ts";
import { type Line, line, linesOf, lineWidth, span, type Tone, truncate } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** `none`: the call did not run (denied, withdrawn, aborted before it began). */
export type CallState = "running" | "done" | "failed" | "asks" | "none";

const tones: Record<CallState, Tone> = {
  running: "blue",
  done: "green",
  failed: "red",
  asks: "yellow",
  none: "dim",
};

/** A call on one line: glyph, tool, summary, duration or a note. The summary gives way when it does not fit. */
export function callLine(
  call: { state: CallState; toolName: string; summary: string; durationMs?: number; note?: string },
  look: Look,
): Line {
  const tail = [call.note, call.durationMs === undefined ? undefined : duration(call.durationMs)]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
  const head = line(
    span(signsOf(look)[call.state], tones[call.state]),
    " ",
    span(sanitiseLine(call.toolName), "bold"),
    call.summary === "" ? "" : ` ${sanitiseLine(call.summary)}`,
  );
  if (tail === "") return truncate(head, look.width, look);
  const end = line(span(`  ${sanitiseLine(tail)}`, "dim"));
  const room = look.width - lineWidth(end);
  // On a very narrow terminal the tail would leave nothing of the call: it goes first.
  return room < 12 ? truncate(head, look.width, look) : [...truncate(head, room, look), ...end];
}

/** The last `most` lines of output under a call, each on one row; says how many are folded away. */
export function tailLines(text: string, most: number, look: Look): Line[] {
  const rows = linesOf(text.replace(/\n+$/, ""), "dim");
  if (rows.length === 1 && lineWidth(rows[0]!) === 0) return [];
  const kept = rows.slice(-most);
  const folded = rows.length - kept.length;
  const signs = signsOf(look);
  return [
    ...(folded > 0 ? [line(span(`  ${signs.ellipsis} ${folded} lines above`, "dim"))] : []),
    ...kept.map((row) => truncate([span(`  ${signs.bar} `, "dim"), ...row], look.width, look)),
  ];
}
