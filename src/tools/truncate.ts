/** What one result may show the model of a text: whole lines up to both limits. */
export const maximumLines = 2000;
/** Bytes of UTF-8. */
export const maximumBytes = 50 * 1024;

export interface TruncatedTail {
  text: string;
  /** Number of lines shown. */
  lines: number;
  /** Whether something before `text` was left out. */
  truncated: boolean;
  /** Set when not even the last line fits: only its end is shown. */
  partialLine: boolean;
}

/**
 * Keeps the last whole lines of `text` within both limits; a final newline is not a line of its own.
 * A last line that alone exceeds `bytes` is cut at its front, at a character's edge.
 */
export function truncateTail(text: string, lines = maximumLines, bytes = maximumBytes): TruncatedTail {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (body === "") return { text: body, lines: text === "" ? 0 : 1, truncated: false, partialLine: false };
  let start = body.length;
  let shown = 0;
  let size = 0;
  while (shown < lines && start > 0) {
    // `start` is just after the newline that ends the line to look at, or at the end.
    const end = shown === 0 ? body.length : start - 1;
    const lineStart = end === 0 ? 0 : body.lastIndexOf("\n", end - 1) + 1;
    size += Buffer.byteLength(body.slice(lineStart, end)) + (shown === 0 ? 0 : 1);
    if (size > bytes) break;
    start = lineStart;
    shown += 1;
  }
  if (shown === 0) {
    const line = body.slice(body.lastIndexOf("\n") + 1);
    return { text: endOfText(line, bytes), lines: 1, truncated: true, partialLine: true };
  }
  return { text: body.slice(start), lines: shown, truncated: start > 0, partialLine: false };
}

/** The last `bytes` bytes of `text` as UTF-8, without a broken first character. */
function endOfText(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && (encoded[start]! & 0xc0) === 0x80) start += 1;
  return encoded.subarray(start).toString("utf8");
}

/** The first `characters` of `text`, with an ellipsis instead of the rest. Never ends in half a surrogate pair. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** `1.5 KB`, for people and models. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

/** Text without NUL and lone surrogates: both break what stores or sends it. */
export const harmlessText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, "\uFFFD");
