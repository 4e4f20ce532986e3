import { describe, expect, test } from "vitest";
import { formatSize, harmlessText, shorten, truncateTail } from "../../src/tools/truncate.ts";

describe("truncateTail", () => {
  test.each([
    ["", 5, 100, { text: "", lines: 0, truncated: false, partialLine: false }],
    ["a\nb\n", 5, 100, { text: "a\nb", lines: 2, truncated: false, partialLine: false }],
    ["a\nb\nc\n", 2, 100, { text: "b\nc", lines: 2, truncated: true, partialLine: false }],
    ["aaaa\nbb\n", 5, 6, { text: "bb", lines: 1, truncated: true, partialLine: false }],
    ["aaaa\nbb", 5, 7, { text: "aaaa\nbb", lines: 2, truncated: false, partialLine: false }],
    ["\n\nx", 2, 100, { text: "\nx", lines: 2, truncated: true, partialLine: false }],
    ["\n\nx", 5, 100, { text: "\n\nx", lines: 3, truncated: false, partialLine: false }],
    ["a\nabcdef", 5, 3, { text: "def", lines: 1, truncated: true, partialLine: true }],
    ["ééé", 5, 3, { text: "é", lines: 1, truncated: true, partialLine: true }],
  ])("%j in %i lines and %i bytes", (text, lines, bytes, expected) => {
    expect(truncateTail(text, lines, bytes)).toEqual(expected);
  });
});

test("shorten, sizes and harmless text", () => {
  expect(shorten("abcdef", 4)).toBe("abc…");
  expect(shorten("ab🙂cd", 4)).toBe("ab…");
  expect([formatSize(5), formatSize(1536), formatSize(5 * 1024 ** 3)]).toEqual(["5 bytes", "1.5 KB", "5.0 GB"]);
  expect(harmlessText("a\0b\uD800c🙂")).toBe("a\uFFFDb\uFFFDc🙂");
});
