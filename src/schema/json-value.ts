/** Plain JSON values: copying, telling kinds apart, cutting texts. Pure; runs in the workflow sandbox too. */

export type JsonObject = Record<string, unknown>;

/** Deeper arguments than this are no honest call and would exhaust the stack. */
const maximumDepth = 200;

export class NestingError extends Error {
  constructor() {
    super(`is nested deeper than ${maximumDepth} levels`);
    this.name = "NestingError";
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Deep copy of JSON-like data. `undefined` fields and a `__proto__` key (it would change the copy's prototype) are left out.
 * @throws NestingError for values nested deeper than 200 levels.
 */
export function cloneJson<T>(value: T, depth = 0): T {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maximumDepth) throw new NestingError();
  if (Array.isArray(value)) return value.map((item) => cloneJson(item, depth + 1)) as T;
  const copy: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    if (key !== "__proto__" && field !== undefined) copy[key] = cloneJson(field, depth + 1);
  }
  return copy as T;
}

/** Equality of JSON values; the order of an object's keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => jsonEqual(item, b[at]))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

/** The value with its article, for messages: `an object`, `a string`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const utf8Length = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** `text` if it has at most `bytes` bytes as UTF-8, else its beginning (whole characters) and a note of what was cut. */
export function capText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  let used = 0;
  let at = 0;
  for (const character of text) {
    used += utf8Length(character.codePointAt(0)!);
    if (used > bytes) return `${text.slice(0, at)}… (cut: ${text.length} characters in all)`;
    at += character.length;
  }
  return text;
}
