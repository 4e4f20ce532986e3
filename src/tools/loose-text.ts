/**
 * A text as a careless eye sees it, with the way back: compatibility forms, curly quotes, dashes and odd spaces are plain,
 * blanks at the end of lines are gone.
 */
export interface LooseText {
  text: string;
  /**
   * The place `[start, end)` of `text` in the original; one that ends a line takes the blanks that are gone with it.
   * Undefined when it starts or ends in the middle of a character that was taken apart.
   */
  placeOf: (start: number, end: number) => { start: number; end: number } | undefined;
}

/** Characters that normalisation may join with the one before them: marks, half-width voicing, Korean vowels and finals. */
const pieces = /.[\p{M}\uFF9E\uFF9F\u1160-\u11FF]*/gsu;

/** Loose form of a file's text, whose line breaks must be LF. Ways back are worked out per line, when asked for. */
export function loosen(original: string): LooseText {
  const lines = original.split("\n");
  const looseLines = lines.map(looseLine);
  const text = looseLines.join("\n");
  const offsets = offsetsOf(lines);
  const looseOffsets = offsetsOf(looseLines);

  /** Place of one character of `text`; -1 for a side that has no place of its own. */
  const placeOfCharacter = (index: number): { start: number; end: number } => {
    const number = lineAt(looseOffsets, index);
    const line = lines[number]!;
    const column = index - looseOffsets[number]!;
    const offset = offsets[number]!;
    if (column === looseLines[number]!.length) {
      return { start: offset + line.length, end: offset + line.length + 1 };
    }
    const { start, end } = columnsOf(line, column);
    return { start: start === -1 ? -1 : offset + start, end: end === -1 ? -1 : offset + end };
  };

  return {
    text,
    placeOf: (start, end) => {
      const place = { start: placeOfCharacter(start).start, end: placeOfCharacter(end - 1).end };
      return place.start === -1 || place.end === -1 ? undefined : place;
    },
  };
}

/** Columns `[start, end)` in a line that became the n-th character of its loose form. */
function columnsOf(line: string, wanted: number): { start: number; end: number } {
  const kept = withoutLastBlanks(line);
  let column = 0;
  let looseColumn = 0;
  for (const piece of kept.match(pieces) ?? []) {
    const length = plainForm(piece).length;
    if (wanted < looseColumn + length) {
      const last = column + piece.length === kept.length;
      const end = last ? line.length : column + piece.length;
      return {
        start: wanted === looseColumn ? column : -1,
        end: wanted === looseColumn + length - 1 ? end : -1,
      };
    }
    looseColumn += length;
    column += piece.length;
  }
  return { start: -1, end: -1 };
}

/** Where each line of a text with LF endings starts. */
export function offsetsOf(lines: readonly string[]): number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

/** Index of the line that holds the offset; a line holds its newline. */
export function lineAt(offsets: readonly number[], offset: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

function looseLine(line: string): string {
  const kept = withoutLastBlanks(line);
  if (isAscii(kept)) return kept;
  // Piece by piece, as `columnsOf` counts it.
  return (kept.match(pieces) ?? []).map(plainForm).join("");
}

/** Loose form of a text that is searched; blanks at the end of its last line are kept if `keepLastBlanks`. */
export function loosePattern(pattern: string, keepLastBlanks: boolean): string {
  const lines = pattern.split("\n");
  return lines
    .map((line, index) => plainForm(keepLastBlanks && index === lines.length - 1 ? line : withoutLastBlanks(line)))
    .join("\n");
}

function plainForm(text: string): string {
  if (isAscii(text)) return text;
  // Odd characters first: compatibility normalisation takes some of them apart.
  return plainCharacters(plainCharacters(text).normalize("NFKC"));
}

const plainCharacters = (text: string): string =>
  text
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g, " ");

const withoutLastBlanks = (line: string): string => line.trimEnd();
