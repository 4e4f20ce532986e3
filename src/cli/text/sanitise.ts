/**
 * Control characters, C1, bidirectional overrides, invisible characters and lone surrogates. Tab and newline stay.
 * The zero-width joiner stays too: emoji need it.
 */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Makes text of a model, a tool or a file safe for a terminal: what would act on it or hide in it becomes visible text
 * (`\x1b`, `\r`, `\u202e`). A CR before a newline is dropped, tabs become blanks so that widths can be counted.
 */
export const sanitise = (text: string): string => sanitiseKeepingTabs(text).replaceAll("\t", "    ");

/** For text whose blanks matter to its reader, such as the answer on stdout. */
export const sanitiseKeepingTabs = (text: string): string => text.replaceAll("\r\n", "\n").replace(hidden, visible);

/** JSON whose text cannot act on a terminal either: `JSON.stringify` leaves C1 and bidirectional characters as they are. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(hidden, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(""),
  );

const unicodeEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

/** The same for text that must stay on one line: newlines become visible too. */
export const sanitiseLine = (text: string): string => sanitise(text).replaceAll("\n", " \\n ");

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
