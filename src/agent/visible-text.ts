/**
 * Control characters, C1, bidirectional overrides, invisible characters and lone surrogates. Tab and newline stay.
 * The zero-width joiner stays too: emoji need it.
 */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Text of a model, a tool or a file, for people: what would act on a terminal or hide in a page becomes visible text
 * (`\x1b`, `\r`, `\u202e`). A CR before a newline is dropped; tabs stay.
 */
export const visibleText = (text: string): string => text.replaceAll("\r\n", "\n").replace(hidden, visible);

/** JSON whose text hides nothing either: `JSON.stringify` leaves C1 and bidirectional characters as they are. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(hidden, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(""),
  );

const unicodeEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

function visible(character: string): string {
  if (character === "\r") return "\\r";
  if (character === "\b") return "\\b";
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/** Long runs of blanks can push a command's tail out of sight: says how many there are instead. */
export const showBlankRuns = (text: string): string =>
  text.replace(/(?<=\S) {20,}(?=\S)/g, (run) => ` [${run.length} blanks] `);
