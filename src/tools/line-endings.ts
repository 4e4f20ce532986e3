import { diffArrays } from "diff";

/** A text split at its newlines. The last line has the ending "", also when the text ends in a newline. */
export interface Line {
  text: string;
  ending: "\n" | "\r\n" | "";
}

/** Splits at LF and CRLF; a lone CR belongs to its line. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    const crlf = end > start && text[end - 1] === "\r";
    lines.push({ text: text.slice(start, crlf ? end - 1 : end), ending: crlf ? "\r\n" : "\n" });
    start = end + 1;
  }
  lines.push({ text: text.slice(start), ending: "" });
  return lines;
}

export const joinLines = (lines: readonly Line[]): string => lines.map((line) => line.text + line.ending).join("");

export const toLineFeeds = (text: string): string => text.replaceAll("\r\n", "\n");

/** Cost limit of the comparison; beyond it lines are paired by position. */
const maximumEditLength = 1000;

/**
 * Gives each new line its ending: a newline that no edit touched stays; else an unchanged line keeps its own, a changed one
 * takes that of the line it replaces, an added one that of the line above it.
 * @param old the lines that are replaced
 * @param texts the new lines, without endings
 * @param kept for each new line the old line whose newline it still has, if any
 * @param context.previous ending of the line before `old`, `context.common` that of the file's first line
 * @param context.last whether `old` holds the last line of the file
 */
export function withEndings(
  old: readonly Line[],
  texts: readonly string[],
  kept: readonly (number | undefined)[],
  context: { previous: Line["ending"]; common: Line["ending"]; last: boolean },
): Line[] {
  const sources = pairLines(
    old.map((line) => line.text),
    texts,
  );
  let above = context.previous;
  return texts.map((text, index) => {
    if (context.last && index === texts.length - 1) return { text, ending: "" };
    const source = kept[index] ?? sources[index];
    const own = source === undefined ? "" : old[source]!.ending;
    above = own || above || old[0]?.ending || context.common || "\n";
    return { text, ending: above };
  });
}

/** For each new line the index of the old line it is or replaces; undefined for an added one. */
function pairLines(old: string[], texts: readonly string[]): (number | undefined)[] {
  const changes = diffArrays(old, [...texts], { maxEditLength: maximumEditLength });
  if (!changes) return texts.map((_, index) => (index < old.length ? index : undefined));
  const sources: (number | undefined)[] = [];
  let next = 0;
  let removed: number[] = [];
  let added = 0;
  for (const change of changes) {
    const count = change.value.length;
    if (change.removed) {
      removed.push(...Array.from({ length: count }, () => next++));
    } else if (change.added) {
      for (let index = 0; index < count; index++) sources.push(undefined);
      added += count;
    } else {
      pairHunk(sources, removed, added);
      removed = [];
      added = 0;
      for (let index = 0; index < count; index++) sources.push(next++);
    }
  }
  pairHunk(sources, removed, added);
  return sources;
}

/** The last `added` entries replace the removed lines one by one. */
function pairHunk(sources: (number | undefined)[], removed: number[], added: number): void {
  for (let index = 0; index < Math.min(added, removed.length); index++) {
    sources[sources.length - added + index] = removed[index];
  }
}
