import { HttpError } from "./http-error.ts";

const depthAtMost = 64;
/** Keys that reach an object's prototype where somebody copies carelessly. */
const forbiddenKeys = new Set(["__proto__", "constructor"]);

const space = /[ \t\n\r]*/y;
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "commaOrEnd" | "nothing";
type Open = { kind: "array" } | { kind: "object"; keys: Set<string> };

/**
 * The value of a JSON text. 400 with the position (counted from 1) for what is not JSON, goes deeper than 64, or names a key twice
 * or one that reaches a prototype. The text itself is never repeated in the error.
 */
export function parseStrictJson(text: string): unknown {
  new Scan(text).run();
  return JSON.parse(text);
}

/** Goes through the text without recursion: how deep a body goes is its sender's choice. */
class Scan {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    let expected: Expected = "value";
    for (;;) {
      this.#match(space);
      const character = this.#text[this.#at];
      if (character === undefined) {
        if (expected === "nothing") return;
        throw this.#fault("the text ends too early");
      }
      expected = this.#step(expected, character);
    }
  }

  #step(expected: Expected, character: string): Expected {
    if (expected === "nothing") throw this.#fault("something follows the value");
    if (character === "}" || character === "]") return this.#close(expected, character);
    if (expected === "commaOrEnd") {
      if (character !== ",") throw this.#fault("a comma or the end is missing");
      this.#at++;
      return this.#open.at(-1)!.kind === "object" ? "key" : "value";
    }
    if (expected === "key" || expected === "keyOrEnd") return this.#key();
    return this.#value(character);
  }

  #close(expected: Expected, character: string): Expected {
    const open = this.#open.at(-1);
    const fits = open !== undefined && (character === "}") === (open.kind === "object");
    const mayEnd = expected === "commaOrEnd" || expected === "keyOrEnd" || expected === "valueOrEnd";
    if (!fits || !mayEnd) throw this.#fault("a bracket that fits nothing");
    this.#open.pop();
    this.#at++;
    return this.#afterValue();
  }

  #key(): Expected {
    const start = this.#at;
    const { keys } = this.#open.at(-1) as Extract<Open, { kind: "object" }>;
    const key = JSON.parse(this.#string()) as string;
    if (forbiddenKeys.has(key)) throw this.#fault(`the key "${key}" is not allowed`, start);
    if (keys.has(key)) throw this.#fault("a key that stands there twice", start);
    keys.add(key);
    this.#match(space);
    if (this.#text[this.#at] !== ":") throw this.#fault("a colon is missing");
    this.#at++;
    return "value";
  }

  #value(character: string): Expected {
    if (character === "{" || character === "[") {
      if (this.#open.length >= depthAtMost) throw this.#fault(`nested deeper than ${depthAtMost}`);
      this.#open.push(character === "[" ? { kind: "array" } : { kind: "object", keys: new Set() });
      this.#at++;
      return character === "[" ? "valueOrEnd" : "keyOrEnd";
    }
    if (character === '"') this.#string();
    else if (this.#match(scalar) === "") throw this.#fault("no JSON value");
    return this.#afterValue();
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? "nothing" : "commaOrEnd";
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#fault("a key in double quotes is missing");
    this.#at++;
    do this.#match(plainCharacters);
    while (this.#match(escapeSequence) !== "");
    if (this.#text[this.#at] !== '"') throw this.#fault("a text that does not end, or holds what must be escaped");
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #fault(what: string, at = this.#at): HttpError {
    return new HttpError(400, `the body is not usable JSON: ${what}, at position ${at + 1}`);
  }
}
