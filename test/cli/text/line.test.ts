// Pure unit tests.
import { expect, test } from "vitest";
import { age, duration, money, tokens } from "../../../src/cli/text/format.ts";
import { line, lineWidth, plainText, span, truncate, wrap } from "../../../src/cli/text/line.ts";
import { lookOf, signsOf } from "../../../src/cli/text/look.ts";
import { fitWidth, textWidth } from "../../../src/cli/text/width.ts";

const look = { width: 20, colour: false, unicode: true };

test("wide characters and combining marks are counted as the terminal shows them", () => {
  expect(textWidth("日本")).toBe(4);
  expect(textWidth("e\u0301")).toBe(1);
  expect(textWidth("👨‍👩‍👧")).toBe(2);
  expect(fitWidth("日本語", 5, "…")).toBe("日本…");
});

test("text wraps at blanks, long words are cut, nothing is wider than asked", () => {
  const text = "the quick brown fox_jumped_over_the_lazy_dog 日本語のテキスト end";
  for (const width of [1, 2, 7, 20, 60]) {
    const rows = wrap(line(text), width);
    for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(Math.max(2, width));
    const letters = rows.map(plainText).join("").replaceAll(" ", "");
    expect(letters).toBe(text.replaceAll(" ", ""));
  }
});

test("hard wrapping keeps every character, blanks too", () => {
  const text = `a${" ".repeat(50)}b`;
  expect(wrap(line(text), 20, { hard: true }).map(plainText).join("")).toBe(text);
});

test("tones survive wrapping and cutting", () => {
  const row = line(span("bold words here", "bold"), " and plain words");
  expect(
    wrap(row, 10)
      .flat()
      .filter((part) => part.tones.includes("bold"))
      .map((part) => part.text)
      .join(" "),
  ).toBe("bold words here");
  expect(plainText(truncate(row, 12, look))).toBe("bold words …");
});

test.each([
  [40, "40ms"],
  [0, "0s"],
  [340, "0.3s"],
  [2000, "2s"],
  [12_345, "12s"],
  [125_000, "2m05s"],
  [3_720_000, "1h02m"],
  [3 * 86_400_000, "3d0h"],
])("%d ms reads %s", (milliseconds, text) => expect(duration(milliseconds)).toBe(text));

test("an unknown price is never $0", () => {
  expect(money(undefined)).toBe("cost unknown");
  expect(money(0.0031)).toBe("$0.0031");
  expect(money(1.5)).toBe("$1.50");
  expect(tokens({ input: 12_000, output: 300, cacheRead: 0, cacheWrite: 0 })).toBe("12.3k tokens");
  expect(age(90_000)).toBe("1m");
});

test("colour and signs follow the stream and the environment", () => {
  const terminal = { isTTY: true, columns: 60 };
  expect(lookOf(terminal, { LANG: "C.UTF-8" })).toEqual({ width: 60, colour: true, unicode: true });
  expect(lookOf(terminal, { LANG: "C.UTF-8", NO_COLOR: "1" }).colour).toBe(false);
  expect(lookOf(terminal, { LANG: "C.UTF-8", TERM: "dumb" }).colour).toBe(false);
  expect(lookOf({}, { LANG: "C.UTF-8" })).toEqual({ width: Number.POSITIVE_INFINITY, colour: false, unicode: true });
  const ascii = signsOf(lookOf(terminal, { LC_ALL: "C" }));
  expect([ascii.running, ascii.done, ascii.failed, ascii.asks, ascii.none].join("")).toBe("*+x?-");
});
