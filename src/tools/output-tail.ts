import { open } from "node:fs/promises";
import { harmlessText, maximumBytes, maximumLines, truncateTail } from "./truncate.ts";

/** The end of a command's output as the model sees it. */
export interface OutputTail {
  text: string;
  /** Lines shown. */
  lines: number;
  truncated: boolean;
  /** True size, in bytes, of the last line when only its end is shown. */
  longLineBytes?: number;
  /** Bytes of the whole output. */
  totalBytes: number;
  /** Lines of the whole output; absent when it is too large to count. */
  totalLines?: number;
}

const chunkBytes = 256 * 1024;
/** Bytes up to which lines are counted and a long line is measured. */
const countedBytes = 256 * 1024 * 1024;

/**
 * Reads the end of an output file: memory stays bounded whatever its size. Missing counts as empty.
 * @param running whether more may come: then a character that is cut at the end is left out, else it is replaced
 */
export async function readTail(path: string, running: boolean): Promise<OutputTail> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return { text: "", lines: 0, truncated: false, totalBytes: 0 };
  try {
    const { size } = await file.stat();
    // More than may be shown: so the window's first line, which may be cut, never is.
    const start = Math.max(0, size - maximumBytes - 4096);
    const raw = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(raw, 0, raw.length, start);
    const bytes = raw.subarray(start === 0 ? 0 : firstWholeCharacter(raw), bytesRead);
    const text = harmlessText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: running }));
    const shown = truncateTail(text, maximumLines, maximumBytes);
    const result: OutputTail = {
      text: shown.text,
      lines: shown.lines,
      truncated: shown.truncated || start > 0,
      totalBytes: size,
    };
    if (running || !result.truncated || size > countedBytes) return result;
    const counted = await countLines(file, size);
    return {
      ...result,
      totalLines: counted.lines,
      ...(shown.partialLine ? { longLineBytes: counted.lastLineBytes } : {}),
    };
  } finally {
    await file.close();
  }
}

function firstWholeCharacter(bytes: Buffer): number {
  let index = 0;
  while (index < Math.min(3, bytes.length) && (bytes[index]! & 0xc0) === 0x80) index += 1;
  return index;
}

async function countLines(file: Awaited<ReturnType<typeof open>>, size: number) {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let lines = 0;
  let lineStart = 0;
  let previousStart = 0;
  for (let position = 0; position < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, size - position), position);
    if (bytesRead === 0) break;
    for (let at = buffer.indexOf(0x0a); at !== -1 && at < bytesRead; at = buffer.indexOf(0x0a, at + 1)) {
      lines += 1;
      previousStart = lineStart;
      lineStart = position + at + 1;
    }
    position += bytesRead;
  }
  const unfinished = lineStart < size;
  return {
    lines: lines + (unfinished ? 1 : 0),
    lastLineBytes: unfinished ? size - lineStart : size - 1 - previousStart,
  };
}
