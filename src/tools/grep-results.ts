import { BoundedLines } from "./bounded-lines.ts";
import type { GrepRecord } from "./grep-records.ts";
import { visibleText } from "./paths.ts";

/** Characters of a line that are shown. */
export const lineCharacters = 500;
/** Characters before a match that stays in sight although its line is cut. */
const charactersBefore = 100;

type LineRecord = Extract<GrepRecord, { kind: "line" }>;

export interface GrepResultOptions {
  /** Matching lines to keep. */
  limit: number;
  /** Lines around a match. */
  context: number;
  /** A file's path as it is shown; undefined for a file that is not wanted. */
  shownPath: (path: Buffer) => string | undefined;
}

/** Turns records into the lines of a result, up to the limits. */
export class GrepResults {
  readonly lines = new BoundedLines();
  matches = 0;
  /** Set when a match was left out. */
  more = false;
  /** Set when a line was shown in part. */
  cut = false;
  private readonly options: GrepResultOptions;
  /** The file being read. */
  private path: Buffer | undefined;
  private shown: string | undefined;
  private firstLine = 0;
  private fileMatches = 0;
  private lastLine: number | undefined;
  private lastMatch: number | undefined;

  constructor(options: GrepResultOptions) {
    this.options = options;
  }

  /** False when no more are wanted. */
  push(record: GrepRecord): boolean {
    if (record.kind === "file-end") return this.endFile(record.binary);
    if (!this.path?.equals(record.path)) this.beginFile(record.path);
    if (this.shown === undefined) return true;
    if (!record.isMatch) return this.pushContext(record, this.shown);
    if (this.matches >= this.options.limit) {
      this.more = true;
      return false;
    }
    this.matches += 1;
    this.fileMatches += 1;
    this.lastMatch = record.line;
    return this.add(record, `${this.shown}:${record.line ?? "?"}: `);
  }

  private beginFile(path: Buffer): void {
    this.path = path;
    this.shown = this.options.shownPath(path);
    this.firstLine = this.lines.count;
    this.fileMatches = 0;
    this.lastLine = undefined;
    this.lastMatch = undefined;
  }

  /** Once the last match is there, only what belongs to it is kept: more may come before a match that is left out. */
  private pushContext(record: LineRecord, shown: string): boolean {
    if (this.matches >= this.options.limit) {
      const near = this.lastMatch !== undefined && record.line !== undefined;
      if (!near || record.line! > this.lastMatch! + this.options.context) return true;
    }
    return this.add(record, `${shown}-${record.line ?? "?"}- `);
  }

  private add(record: LineRecord, start: string): boolean {
    const gap = this.lastLine === undefined ? this.lines.count > 0 : record.line !== this.lastLine + 1;
    this.lastLine = record.line;
    const before = this.lines.count;
    const separated = !gap || this.options.context === 0 || this.lines.add("--");
    const fits = separated && this.lines.add(start + this.visibleLine(record));
    if (!fits) {
      this.more = true;
      this.lines.cutTo(before);
    }
    return fits;
  }

  /** What was found in a binary file is said, not shown. */
  private endFile(binary: boolean): boolean {
    const { shown, fileMatches } = this;
    this.path = undefined;
    if (!binary || shown === undefined || fileMatches === 0) return true;
    this.lines.cutTo(this.firstLine);
    const found = fileMatches === 1 ? "a match" : `${fileMatches} matches`;
    return this.lines.add(`${shown}: binary file, ${found} not shown`);
  }

  private visibleLine(record: LineRecord): string {
    const text = record.text.replace(/\r?\n$/, "");
    if (text.length <= lineCharacters && !record.cut) return visibleLine(text);
    this.cut = true;
    const start = record.matchStart < lineCharacters - charactersBefore ? 0 : record.matchStart - charactersBefore;
    const end = start + lineCharacters;
    const part = text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
    return `${start > 0 ? "…" : ""}${visibleLine(part)}${end < text.length || record.cut ? "…" : ""}`;
  }
}

/** Tabs stay: they are the indentation of code. */
const visibleLine = (text: string): string => text.split("\t").map(visibleText).join("\t");
