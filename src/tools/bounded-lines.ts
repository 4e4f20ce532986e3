import { maximumBytes } from "./truncate.ts";

/** Whole lines, up to the bytes that one result may show. */
export class BoundedLines {
  /** Set when a line did not fit any more. */
  full = false;
  private readonly lines: string[] = [];
  private bytes = 0;

  get count(): number {
    return this.lines.length;
  }

  /** False when the line does not fit; it is not kept, and none is from then on. */
  add(line: string): boolean {
    const size = Buffer.byteLength(line) + 1;
    if (this.full || this.bytes + size > maximumBytes) {
      this.full = true;
      return false;
    }
    this.lines.push(line);
    this.bytes += size;
    return true;
  }

  /** Takes back what came after the first `count` lines. */
  cutTo(count: number): void {
    for (const line of this.lines.splice(count)) this.bytes -= Buffer.byteLength(line) + 1;
  }

  text(notes: readonly string[]): string {
    const body = this.lines.join("\n");
    return [body, ...notes.map((note) => `[${note}]`)].filter((part) => part !== "").join("\n\n");
  }
}

/**
 * A count that a model gave: `minimum` instead of less, whole.
 * @throws Error when it is no finite number
 */
export function countOf(name: string, value: number | undefined, fallback: number, minimum = 1): number {
  if (value === undefined) return fallback;
  if (!Number.isFinite(value)) throw new Error(`${name} must be a finite number.`);
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(minimum, Math.floor(value)));
}
