import { joinLines, type Line, splitLines, toLineFeeds, withEndings } from "./line-endings.ts";
import { type LooseText, lineAt, loosen, loosePattern, offsetsOf } from "./loose-text.ts";

export interface Edit {
  oldText: string;
  newText: string;
}

/** Place in a text with LF endings, `[start, end)` in UTF-16 units, and what comes there. */
interface Replacement {
  index: number;
  start: number;
  end: number;
  newText: string;
}

/**
 * Applies all edits to the original text, or none. Each old text must be found exactly once, in any spelling `loosen` makes
 * equal; lines that no edit touches keep every byte.
 * @param text the file's text, any line endings
 * @param shown the file's name in errors
 * @throws Error with the reason for the model
 */
export function applyEdits(text: string, edits: readonly Edit[], shown: string): string {
  if (edits.length === 0) throw new Error("edits is empty: give at least one block with oldText and newText.");
  const lines = splitLines(text);
  const plain = lines.map((line) => line.text).join("\n");
  const finder = createFinder(plain);
  const replacements = edits.map((edit, index) => {
    const name = edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
    const oldText = toLineFeeds(edit.oldText);
    if (oldText === "") throw new Error(`${name} is empty. To create or replace a whole file use write.`);
    const place = finder(oldText, name, shown);
    return { index, ...place, newText: toLineFeeds(edit.newText) };
  });
  replacements.sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [position, next] of replacements.entries()) {
    const before = replacements[position - 1];
    if (before && next.start < before.end) {
      const [first, second] = [before.index, next.index].sort((a, b) => a - b);
      throw new Error(`edits[${first}] and edits[${second}] overlap in ${shown}. Merge them into one block.`);
    }
  }
  const result = joinLines(replaceInLines(lines, replacements));
  if (result === text) {
    throw new Error(`No change: the new text equals what ${shown} already holds.`);
  }
  return result;
}

type Finder = (oldText: string, name: string, shown: string) => { start: number; end: number };

function createFinder(plain: string): Finder {
  let loose: LooseText | undefined;
  return (oldText, name, shown) => {
    loose ??= loosen(plain);
    const exact = placesOf(plain, oldText);
    const near = looseCandidates(oldText).map((pattern) => loosePlaces(loose!, pattern));
    // The exact form decides where, the loose one whether it is the only place.
    const found = exact.length > 0 ? [exact, near[0] ?? []] : near;
    const places = found.find((candidates) => candidates.length > 0) ?? [];
    const count = exact.length > 0 ? Math.max(exact.length, near[0]?.length ?? 0) : places.length;
    if (count === 0) {
      throw new Error(
        `Could not find ${name} in ${shown}. It must match the file's text, white space and line breaks included. Read the file again.`,
      );
    }
    if (count > 1) {
      throw new Error(
        `Found ${count} occurrences of ${name} in ${shown}. It must be unique: add lines around it until it is.`,
      );
    }
    return places[0]!;
  };
}

/** Loose spellings to search for; the first keeps blanks at the very end, which may stand in the middle of a line. */
function looseCandidates(oldText: string): string[] {
  const candidates = [loosePattern(oldText, true), loosePattern(oldText, false)];
  return [...new Set(candidates)].filter((candidate) => candidate.trim() !== "");
}

function placesOf(text: string, pattern: string): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = [];
  for (let start = text.indexOf(pattern); start !== -1; start = text.indexOf(pattern, start + 1)) {
    places.push({ start, end: start + pattern.length });
  }
  return places;
}

function loosePlaces(loose: LooseText, pattern: string): { start: number; end: number }[] {
  return placesOf(loose.text, pattern)
    .map(({ start, end }) => loose.placeOf(start, end))
    .filter((place) => place !== undefined);
}

/** Rebuilds only the groups of lines that replacements touch. Replacements are sorted and do not overlap. */
function replaceInLines(lines: Line[], replacements: Replacement[]): Line[] {
  const offsets = offsetsOf(lines.map((line) => line.text));
  const result: Line[] = [];
  let next = 0;
  for (let position = 0; position < replacements.length; ) {
    const first = lineAt(offsets, replacements[position]!.start);
    let last = first;
    const group: Replacement[] = [];
    while (position < replacements.length && lineAt(offsets, replacements[position]!.start) <= last) {
      last = Math.max(last, lineAt(offsets, replacements[position]!.end));
      group.push(replacements[position++]!);
    }
    for (; next < first; next++) result.push(lines[next]!);
    const old = lines.slice(first, last + 1);
    const { texts, kept } = splice(old, offsets[first]!, group);
    const context = {
      previous: lines[first - 1]?.ending ?? "",
      common: lines[0]!.ending,
      last: last === lines.length - 1,
    };
    for (const line of withEndings(old, texts, kept, context)) result.push(line);
    next = last + 1;
  }
  for (; next < lines.length; next++) result.push(lines[next]!);
  return result;
}

/**
 * Puts the new texts into some lines.
 * @returns the new lines, and for each the old line whose newline it has because no edit touched that newline
 */
function splice(old: Line[], base: number, group: Replacement[]) {
  const text = old.map((line) => line.text).join("\n");
  let result = "";
  let position = 0;
  let line = 0;
  const kept: (number | undefined)[] = [];
  const keep = (end: number) => {
    for (let at = text.indexOf("\n", position); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
      kept.push(line++);
    }
    result += text.slice(position, end);
    position = end;
  };
  for (const { start, end, newText } of group) {
    keep(start - base);
    for (let count = countNewlines(newText); count > 0; count--) kept.push(undefined);
    line += countNewlines(text.slice(start - base, end - base));
    result += newText;
    position = end - base;
  }
  keep(text.length);
  kept.push(line);
  return { texts: result.split("\n"), kept };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
