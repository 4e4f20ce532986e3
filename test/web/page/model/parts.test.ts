import { describe, expect, it } from "vitest";
import { partsOf, readableText } from "../../../../src/web/page/model/parts.ts";

describe("readableText", () => {
  it("names long runs of blanks and shows what would hide (T01)", () => {
    expect(readableText(`ls${" ".repeat(5_000)}; touch x`)).toBe("ls [5000 blanks] ; touch x");
    expect(readableText("a\u202eb\u001b[2J\rc\u200bd\u2066e")).toBe("a\\u202eb\\x1b[2J\\rc\\u200bd\\u2066e");
    expect(readableText("a\r\nb\tc\n")).toBe("a\nb\tc");
  });
});

describe("partsOf", () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n");

  it.each([
    lines,
    "x".repeat(5_000),
    `short\n${"y".repeat(3_000)}\nend`,
    "😀".repeat(2_000),
    "one",
    "\n\n\n".repeat(40),
  ])("cuts into parts that fit on a small screen and together are the text (T01)", (text) => {
    const parts = partsOf(text);
    expect(parts.join("")).toBe(text);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(1_201);
      expect(part.replace(/\n$/, "").split("\n").length).toBeLessThanOrEqual(16);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  it("has nothing for nothing", () => {
    expect(partsOf("")).toEqual([]);
  });
});
