// Pure unit tests.
import { expect, test } from "vitest";
import { line, paint, span } from "../../../src/cli/text/line.ts";
import {
  safeJson,
  sanitise,
  sanitiseKeepingTabs,
  sanitiseLine,
  showBlankRuns,
} from "../../../src/cli/text/sanitise.ts";

test.each([
  ["clipboard (OSC 52)", "\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"],
  ["link (OSC 8)", "\x1b]8;;http://x\x1b\\a", "\\x1b]8;;http://x\\x1b\\a"],
  ["clear screen", "\x1b[2J", "\\x1b[2J"],
  ["carriage return hides what stood before", "rm -rf /\rls", "rm -rf /\\rls"],
  ["windows line end", "a\r\nb", "a\nb"],
  ["bell", "\x07", "\\x07"],
  ["backspace", "a\bb", "a\\bb"],
  ["NUL", "\0", "\\x00"],
  ["delete", "\x7f", "\\x7f"],
  ["C1 control sequence", "\x9b2J", "\\x9b2J"],
  ["next line (C1)", "a\x85b", "a\\x85b"],
  ["bidirectional override", "a\u202eb", "a\\u202eb"],
  ["bidirectional isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
  ["right-to-left mark", "\u200f", "\\u200f"],
  ["zero-width space", "pay\u200bpal", "pay\\u200bpal"],
  ["byte order mark", "\ufeffx", "\\ufeffx"],
  ["line separator", "a\u2028b", "a\\u2028b"],
  ["tag characters", "a\u{e0041}b", "a\\u{e0041}b"],
  ["lone surrogate", "a\ud83d", "a\\ud83d"],
  ["tab", "a\tb", "a    b"],
  ["ordinary text, emoji with joiner, CJK", "é 👨‍👩‍👧 日本語\n", "é 👨‍👩‍👧 日本語\n"],
])("%s becomes visible text", (_name, input, expected) => {
  expect(sanitise(input)).toBe(expected);
  expect(sanitise(sanitise(input))).toBe(expected);
});

test("one line stays one line", () => {
  expect(sanitiseLine("echo a\ntouch x")).toBe("echo a \\n touch x");
});

test("no control byte of data passes paint, with colour or without (T02)", () => {
  const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("");
  const hostile = [{ text: all, tones: ["red" as const] }];
  const plain = paint(hostile, { width: 80, colour: false, unicode: true });
  expect(plain.replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  const coloured = paint([{ text: "\x1b[2J", tones: ["red"] }], { width: 80, colour: true, unicode: true });
  expect(coloured).toBe("\x1b[31m\\x1b[2J\x1b[39m");
  expect(paint(line(span("\x1b[0m")), { width: 80, colour: false, unicode: true })).toBe("\\x1b[0m");
});

test("JSON keeps its value and carries no acting character", () => {
  const value = { text: "a\x9b2J\u202e\u{e0041}\x1b" };
  const text = safeJson(value);
  expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  expect(JSON.parse(text)).toEqual(value);
});

test("tabs stay where blanks matter", () => {
  expect(sanitiseKeepingTabs("a\tb\x1b")).toBe("a\tb\\x1b");
});

test("a run of blanks that hides a command's tail is named (T01)", () => {
  expect(showBlankRuns(`npm test${" ".repeat(5000)}; touch x`)).toBe("npm test [5000 blanks] ; touch x");
  expect(showBlankRuns("                         indented")).toBe("                         indented");
});
