import { applyPatch } from "diff";
import { expect, test } from "vitest";
import { describeChange } from "../../src/tools/diffs.ts";
import { applyEdits } from "../../src/tools/edit-match.ts";

/** Seeded numbers in [0, 1): a failure names its seed and can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test.each(Array.from({ length: 200 }, (_, index) => index + 1))(
  "random edits, seed %i: the other lines keep every byte",
  (seed) => {
    const random = randomOf(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const count = 3 + Math.floor(random() * 12);
    const lines = Array.from({ length: count }, (_, index) => ({
      text: `${pick(["", "“q” ", "ﬁ ", "\t", "— "])}line${index}.${pick(["", "  ", "\u00A0"])}`,
      ending: pick(["\n", "\r\n"]),
    }));
    if (random() < 0.5) lines.at(-1)!.ending = "";
    const content = lines.map(({ text, ending }) => text + ending).join("");
    const first = Math.floor(random() * count);
    const last = Math.min(count - 1, first + Math.floor(random() * 3));
    const old = lines.slice(first, last + 1).map(({ text }) => text);
    const added = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => `new${index}`);
    const result = applyEdits(content, [{ oldText: old.join("\n"), newText: added.join("\n") }], "f");
    const before = content.slice(
      0,
      lines.slice(0, first).reduce((sum, { text, ending }) => sum + text.length + ending.length, 0),
    );
    const after = lines
      .slice(last + 1)
      .map(({ text, ending }) => text + ending)
      .join("");
    expect(result.startsWith(before)).toBe(true);
    expect(result.endsWith(lines[last]!.ending + after)).toBe(true);
    const middle = result.slice(before.length, result.length - after.length - lines[last]!.ending.length);
    expect(middle.split(/\r?\n/)).toEqual(added);
    expect(applyPatch(content, describeChange("f", content, result).diff)).toBe(result);
  },
);

test("huge texts stay quick and within the stack", () => {
  const content = `${Array.from({ length: 300_000 }, (_, index) => `row ${index};`).join("\n")}\nend\n`;
  const newText = "y\n".repeat(300_000);
  const start = performance.now();
  const result = applyEdits(
    content,
    [
      { oldText: "end\n", newText },
      { oldText: "row 7;", newText: "x" },
    ],
    "f",
  );
  expect(performance.now() - start).toBeLessThan(5000);
  expect(result.split("\n")[7]).toBe("x");
});
