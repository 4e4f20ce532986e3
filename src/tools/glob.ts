/** Alternatives that braces may stand for. */
const maximumAlternatives = 200;

export interface Glob {
  /** Whether a path relative to the search folder fits. */
  matches(path: string): boolean;
  /** Set when only folders can fit: the pattern ended in a slash. */
  foldersOnly: boolean;
  /** Patterns without special meaning but `*` and `?` that every fitting file's name follows; undefined when there are none. */
  names: string[] | undefined;
}

type Token = "star" | "any" | { character: string } | { set: string[]; ranges: [string, string][]; negated: boolean };

/**
 * `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `**` between slashes, and a backslash before a character that is meant literally. A
 * pattern without a slash fits names in any folder, others fit the whole path. Matching takes time proportional to
 * pattern times path, whatever the pattern: regular expressions made of globs do not promise that.
 */
export function compileGlob(pattern: string): Glob {
  if (pattern === "") throw new Error("The glob is empty.");
  const foldersOnly = pattern.length > 1 && pattern.endsWith("/");
  const body = foldersOnly ? pattern.slice(0, -1) : pattern;
  const anywhere = !body.includes("/");
  const plain = body.replace(/^\.?\/+/, "");
  const alternatives = expandBraces(plain).map((text) => text.split("/"));
  const compiled = alternatives.map((segments) => segments.flatMap(compileSegment));
  return {
    foldersOnly,
    names: namesOf(alternatives),
    matches: (path) => {
      const parts = path.split("/");
      const looked = anywhere ? parts.slice(-1) : parts;
      // `[id].tsx` is a name as well as a pattern.
      if (looked.join("/") === plain) return true;
      const names = looked.map((part) => Array.from(part));
      return compiled.some((segments) => fits(segments, names, isDeep, (tokens, name) => fitsName(tokens, name)));
    },
  };
}

type Segment = "deep" | Token[];

const isDeep = (segment: Segment): boolean => segment === "deep";

function compileSegment(text: string, index: number, segments: string[]): Segment[] {
  if (text !== "**") return [compileName(text)];
  // At the end it stands for what is in a folder, not for the folder too.
  return index === segments.length - 1 ? ["deep", ["star"]] : ["deep"];
}

const fitsName = (tokens: Segment, name: string[]): boolean =>
  tokens !== "deep" && fits(tokens, name, (token) => token === "star", fitsCharacter);

/**
 * Whether `values` follow `items`, where an item that `isStar` stands for any number of values. Of several stars only the
 * last one is ever tried again, which is enough and keeps the time bounded.
 */
function fits<I, V>(items: I[], values: V[], isStar: (item: I) => boolean, one: (item: I, value: V) => boolean) {
  let item = 0;
  let value = 0;
  let star = -1;
  let starValue = 0;
  while (value < values.length) {
    if (item < items.length && isStar(items[item]!)) {
      star = item++;
      starValue = value;
    } else if (item < items.length && one(items[item]!, values[value]!)) {
      item += 1;
      value += 1;
    } else if (star >= 0) {
      item = star + 1;
      value = ++starValue;
    } else return false;
  }
  while (item < items.length && isStar(items[item]!)) item += 1;
  return item === items.length;
}

function fitsCharacter(token: Token, character: string): boolean {
  if (token === "any") return true;
  if (token === "star") return false;
  if ("character" in token) return token.character === character;
  const inside = token.set.includes(character) || token.ranges.some(([a, b]) => a <= character && character <= b);
  return inside !== token.negated;
}

function compileName(text: string): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    if (character === "*") tokens.push("star");
    else if (character === "?") tokens.push("any");
    else if (character === "\\" && at + 1 < characters.length) tokens.push({ character: characters[++at]! });
    else if (character === "[") {
      const negated = characters[at + 1] === "!" || characters[at + 1] === "^";
      const first = at + (negated ? 2 : 1);
      const end = characters.indexOf("]", first + 1);
      if (end === -1) tokens.push({ character });
      else {
        tokens.push({ ...compileSet(characters.slice(first, end)), negated });
        at = end;
      }
    } else tokens.push({ character });
  }
  return tokens;
}

function compileSet(characters: string[]): { set: string[]; ranges: [string, string][] } {
  const set: string[] = [];
  const ranges: [string, string][] = [];
  for (let at = 0; at < characters.length; at += 1) {
    if (characters[at + 1] === "-" && at + 2 < characters.length) {
      ranges.push([characters[at]!, characters[at + 2]!]);
      at += 2;
    } else set.push(characters[at]!);
  }
  return { set, ranges };
}

/** `a{b,c}` as `ab` and `ac`. Braces without a comma are characters. */
function expandBraces(pattern: string): string[] {
  const waiting = [pattern];
  const done: string[] = [];
  while (waiting.length > 0) {
    if (waiting.length + done.length > maximumAlternatives) {
      throw new Error(`The glob has more than ${maximumAlternatives} alternatives in braces.`);
    }
    const text = waiting.pop()!;
    const group = firstGroup(text);
    if (group) waiting.push(...group.parts.map((part) => text.slice(0, group.start) + part + text.slice(group.end)));
    else done.push(text);
  }
  return done;
}

/** The first innermost group, so that what is left when all are expanded has none. */
function firstGroup(text: string): { start: number; end: number; parts: string[] } | undefined {
  const match = /(?<!\\)\{((?:[^{}\\]|\\.)*)\}/g;
  for (let found = match.exec(text); found; found = match.exec(text)) {
    const parts = found[1]!.split(/(?<!\\),/);
    if (parts.length > 1) return { start: found.index, end: found.index + found[0].length, parts };
  }
  return undefined;
}

function namesOf(alternatives: string[][]): string[] | undefined {
  const names = alternatives.map((segments) => segments.at(-1)!);
  const simple = names.every((name) => /^[\w.*?-]+$/.test(name) && !name.includes("**") && name !== "*");
  return simple ? names : undefined;
}
