/** One line of ripgrep's JSON output, as far as it matters here. */
export type GrepRecord =
  | {
      kind: "line";
      isMatch: boolean;
      path: Buffer;
      line: number | undefined;
      text: string;
      matchStart: number;
      cut: boolean;
    }
  | { kind: "file-end"; binary: boolean };

/** Bytes of a record that is read whole; a longer one is a line of a minified or binary file. */
const maximumRecordBytes = 1024 * 1024;
/** What is kept of a longer one: path, and the start of the line. */
const headBytes = 64 * 1024;
/** Characters of a longer record's line that are kept. */
const headCharacters = 2000;

type Blob = { text: string } | { bytes: string };

/** Splits output into records with memory bounded, whatever a line's length. */
export class GrepRecords {
  private pieces: Buffer[] = [];
  private size = 0;
  private long: LongRecord | undefined;

  *push(chunk: Buffer): Generator<GrepRecord> {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, start);
      this.extend(chunk.subarray(start, newline === -1 ? chunk.length : newline));
      if (newline === -1) return;
      const record = this.long ? this.long.record() : parseRecord(Buffer.concat(this.pieces).toString("utf8"));
      this.pieces = [];
      this.size = 0;
      this.long = undefined;
      if (record) yield record;
      start = newline + 1;
    }
  }

  private extend(piece: Buffer): void {
    this.size += piece.length;
    if (this.long) {
      this.long.extend(piece);
      return;
    }
    this.pieces.push(piece);
    if (this.size <= maximumRecordBytes) return;
    this.long = new LongRecord(Buffer.concat(this.pieces));
    this.pieces = [];
  }
}

/** A record too long to be kept: its start, and the number of its line, which stands after the line's text. */
class LongRecord {
  private readonly head: string;
  private tail: Buffer;
  private line: number | undefined;

  constructor(start: Buffer) {
    this.head = start.subarray(0, headBytes).toString("utf8");
    this.tail = Buffer.alloc(0);
    this.extend(start);
  }

  extend(piece: Buffer): void {
    if (this.line !== undefined) return;
    // In the text of a line the quotes have backslashes, so it cannot be taken for this.
    const found = /"\},"line_number":(\d+),/.exec(Buffer.concat([this.tail, piece]).toString("latin1"));
    if (found) this.line = Number(found[1]);
    this.tail = Buffer.from(Buffer.concat([this.tail, piece]).subarray(-64));
  }

  record(): GrepRecord | undefined {
    const found =
      /^\{"type":"(match|context)","data":\{"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\}),"lines":\{"(text|bytes)":"/.exec(
        this.head,
      );
    if (!found) return undefined;
    const [start, type, path, form] = found;
    const text = new RegExp(`^(?:[^"\\\\]|\\\\u[0-9a-f]{4}|\\\\[^u]){0,${headCharacters}}`).exec(
      this.head.slice(start.length),
    )![0];
    return {
      kind: "line",
      isMatch: type === "match",
      path: bytesOf(JSON.parse(path!) as Blob),
      line: this.line,
      text: form === "text" ? (JSON.parse(`"${text}"`) as string) : Buffer.from(text, "base64").toString("utf8"),
      matchStart: 0,
      cut: true,
    };
  }
}

interface RawRecord {
  type: string;
  data: {
    path?: Blob;
    lines?: Blob;
    line_number?: number | null;
    binary_offset?: number | null;
    submatches?: { start: number }[];
  };
}

function parseRecord(json: string): GrepRecord | undefined {
  const { type, data } = JSON.parse(json) as RawRecord;
  if (type === "end") return { kind: "file-end", binary: typeof data.binary_offset === "number" };
  if ((type !== "match" && type !== "context") || !data.path || !data.lines) return undefined;
  const line = bytesOf(data.lines);
  const start = data.submatches?.[0]?.start ?? 0;
  return {
    kind: "line",
    isMatch: type === "match",
    path: bytesOf(data.path),
    line: data.line_number ?? undefined,
    text: line.toString("utf8"),
    // ripgrep counts bytes.
    matchStart: line.toString("utf8", 0, start).length,
    cut: false,
  };
}

const bytesOf = (blob: Blob): Buffer => ("text" in blob ? Buffer.from(blob.text) : Buffer.from(blob.bytes, "base64"));
