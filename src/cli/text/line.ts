import { styleText } from "node:util";
import type { Look } from "./look.ts";
import { signsOf } from "./look.ts";
import { sanitise } from "./sanitise.ts";
import { cellsOf, textWidth } from "./width.ts";

/** Names of the 16 colours and plain attributes only: they follow the person's own theme. */
export type Tone =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "strikethrough"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan";

export interface Span {
  text: string;
  tones: readonly Tone[];
}
/** One line of output before it is painted. */
export type Line = readonly Span[];

/** Text with tones; sanitised here, so every width that is counted later is that of what is shown. */
export const span = (text: string, ...tones: Tone[]): Span => ({ text: sanitise(text), tones });

/** A line of parts; plain strings have no tones. Empty parts are left out. */
export const line = (...parts: (Span | string | undefined | false)[]): Line =>
  parts
    .filter((part): part is Span | string => part !== undefined && part !== false && part !== "")
    .map((part) => (typeof part === "string" ? span(part) : part));

/** Text of several lines, all with the same tones. */
export const linesOf = (text: string, ...tones: Tone[]): Line[] =>
  sanitise(text)
    .split("\n")
    .map((row) => [span(row, ...tones)]);

export const lineWidth = (row: Line): number => row.reduce((sum, part) => sum + textWidth(part.text), 0);
export const plainText = (row: Line): string => row.map((part) => part.text).join("");

interface Cell {
  grapheme: string;
  width: number;
  tones: readonly Tone[];
}

const cellsOfLine = (row: Line): Cell[] =>
  row.flatMap((part) => cellsOf(part.text).map((cell) => ({ ...cell, tones: part.tones })));

function lineOfCells(cells: readonly Cell[]): Line {
  const spans: { text: string; tones: readonly Tone[] }[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last !== undefined && last.tones === cell.tones) last.text += cell.grapheme;
    else spans.push({ text: cell.grapheme, tones: cell.tones });
  }
  return spans;
}

/**
 * Breaks a line at blanks so that it fits `width` columns; a word longer than that is cut. `hard` cuts exactly at the
 * width and drops nothing: for code and commands. `indent` goes before every line but the first.
 */
export function wrap(row: Line, width: number, options: { hard?: boolean; indent?: string } = {}): Line[] {
  if (lineWidth(row) <= width) return [row];
  const cells = cellsOfLine(row);
  const indent = options.indent ?? "";
  const out: Line[] = [];
  let start = 0;
  while (start < cells.length) {
    const prefix = out.length === 0 || indent === "" ? [] : [span(indent)];
    const room = Math.max(1, width - (prefix.length === 0 ? 0 : textWidth(indent)));
    let end = start;
    let used = 0;
    while (end < cells.length && (end === start || used + cells[end]!.width <= room)) used += cells[end++]!.width;
    let next = end;
    if (end < cells.length && !options.hard) {
      let blank = end;
      while (blank > start && cells[blank]!.grapheme !== " ") blank--;
      if (blank > start) {
        end = blank;
        next = blank + 1;
      }
    }
    out.push([...prefix, ...lineOfCells(cells.slice(start, end))]);
    start = next;
  }
  return out;
}

/** Cuts a line at `width` columns and says so with an ellipsis. */
export function truncate(row: Line, width: number, look: Look): Line {
  if (lineWidth(row) <= width) return row;
  const sign = signsOf(look).ellipsis;
  const room = Math.max(0, width - textWidth(sign));
  const kept: Cell[] = [];
  let used = 0;
  for (const cell of cellsOfLine(row)) {
    if (used + cell.width > room) break;
    kept.push(cell);
    used += cell.width;
  }
  return [...lineOfCells(kept), span(sign.slice(0, Math.max(0, width)), "dim")];
}

/** The line as it is written. Sanitises once more: no path leads from foreign text to the terminal around it. */
export function paint(row: Line, look: Look): string {
  return row
    .map(({ text, tones }) => {
      const safe = sanitise(text);
      return look.colour && tones.length > 0 && safe !== ""
        ? styleText([...tones], safe, { validateStream: false })
        : safe;
    })
    .join("");
}
