import type { FileHandle } from "node:fs/promises";
import { maximumBytes } from "./truncate.ts";

/** Lines of a file, read with memory bounded by the limits, whatever the file's size. */
export interface ReadLines {
  /** The lines shown, without their newlines. */
  lines: string[];
  /** Why there are no more: the file ended, or one of the limits was reached. */
  stop: "end" | "lines" | "bytes";
  /** Bytes of the line at `offset` when it alone exceeds the limit; then `lines` is empty. */
  longLineBytes?: number;
  /** Lines of the whole file; undefined when counting them would have taken too long. */
  totalLines?: number;
  /** Whether bytes that are not UTF-8 were replaced. */
  replaced: boolean;
}

const chunkBytes = 256 * 1024;
/** Bytes that are read only to count lines, after what is shown. */
const countedBytes = 256 * 1024 * 1024;

/**
 * Reads whole lines.
 * @param range.offset 1-based number of the first line
 * @param range.limit largest number of lines
 * @throws the signal's reason
 */
export async function readLines(
  file: FileHandle,
  range: { offset: number; limit: number },
  signal: AbortSignal,
): Promise<ReadLines> {
  const collector = new LineCollector(range.offset, range.limit);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let surplus = 0;
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return collector.finish(true);
    position += bytesRead;
    if (collector.full) surplus += bytesRead;
    if (surplus > countedBytes) return collector.finish(false);
    collector.push(buffer.subarray(0, bytesRead));
  }
}

class LineCollector {
  full = false;
  private readonly offset: number;
  private readonly limit: number;
  private readonly lines: string[] = [];
  private stop: ReadLines["stop"] = "end";
  private longLineBytes: number | undefined;
  private replaced = false;
  private shownBytes = 0;
  /** Newlines seen. */
  private newlines = 0;
  /** Start of the line being read, at most a little more than may be shown, and its true size. */
  private pieces: Buffer[] = [];
  private kept = 0;
  private size = 0;
  private endsInNewline = true;

  constructor(offset: number, limit: number) {
    this.offset = offset;
    this.limit = limit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start);
      this.extend(chunk.subarray(start, newline === -1 ? chunk.length : newline));
      if (newline === -1) break;
      this.endLine();
      this.newlines += 1;
      start = newline + 1;
    }
    this.endsInNewline = chunk[chunk.length - 1] === 0x0a;
  }

  finish(counted: boolean): ReadLines {
    if (counted && !this.endsInNewline) this.endLine();
    const totalLines = this.newlines + (this.endsInNewline ? 0 : 1);
    return {
      lines: this.lines,
      stop: this.stop,
      replaced: this.replaced,
      ...(this.longLineBytes === undefined ? {} : { longLineBytes: this.longLineBytes }),
      ...(counted ? { totalLines } : {}),
    };
  }

  private get wanted(): boolean {
    return !this.full && this.newlines + 1 >= this.offset;
  }

  private extend(piece: Buffer): void {
    if (!this.wanted || piece.length === 0) return;
    this.size += piece.length;
    if (this.kept > maximumBytes) return;
    // A copy: the chunk's memory is used again.
    this.pieces.push(Buffer.from(piece.subarray(0, maximumBytes + 1 - this.kept)));
    this.kept += piece.length;
  }

  private endLine(): void {
    if (!this.wanted) return;
    if (this.lines.length >= this.limit) {
      this.fill("lines");
      return;
    }
    const bytes = Buffer.concat(this.pieces);
    const text = bytes.toString("utf8");
    const shown = this.size > maximumBytes ? this.size : Buffer.byteLength(text);
    if (this.shownBytes + shown > maximumBytes) {
      if (this.lines.length === 0) this.longLineBytes = this.size;
      this.fill("bytes");
      return;
    }
    this.replaced ||= text.includes("\uFFFD") && !bytes.equals(Buffer.from(text));
    this.lines.push(text);
    this.shownBytes += shown + 1;
    this.reset();
  }

  private fill(stop: "lines" | "bytes"): void {
    this.full = true;
    this.stop = stop;
    this.reset();
  }

  private reset(): void {
    this.pieces = [];
    this.kept = 0;
    this.size = 0;
  }
}
