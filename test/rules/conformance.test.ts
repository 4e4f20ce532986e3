import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./project-files.ts";

const rowsOfEachPart = { A: 6, B: 6, C: 6, D: 6, E: 4, F: 5, G: 7, H: 5 };
const required = [
  ...Object.entries(rowsOfEachPart).flatMap(([part, rows]) =>
    Array.from({ length: rows }, (_, i) => `${part}${i + 1}`),
  ),
  "I",
];

describe("docs/conformance.md", () => {
  it("says of every requirement which test shows it, or which issue will", () => {
    const text = readFileSync(join(repositoryRoot, "docs/conformance.md"), "utf8");
    expect(checkConformance(text, (path) => existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});

describe("checkConformance", () => {
  const complete = required.map((id) => `| ${id} | words | \`test/a.test.ts\` |`).join("\n");
  const check = (text: string) => checkConformance(text, (path) => path === "test/a.test.ts");

  it("accepts a complete table", () => {
    expect(check(complete)).toEqual([]);
    expect(check(complete.replace("`test/a.test.ts`", "not built yet (issue: Some title)"))).toEqual([]);
  });

  it("names what is missing, doubled, unknown, or shown by nothing", () => {
    expect(check(complete.replace("| B4 |", "| b4 |"))).toEqual(["B4 has no row"]);
    expect(check(`${complete}\n| B4 | words | \`test/a.test.ts\` |`)).toEqual(["B4 has 2 rows"]);
    expect(check(`${complete}\n| B7 | words | \`test/a.test.ts\` |`)).toEqual(["B7 is no requirement"]);
    expect(check(complete.replace("`test/a.test.ts`", "some day"))).toEqual([
      "A1 names neither a test file nor an issue",
    ]);
    expect(check(complete.replace("a.test.ts", "gone.test.ts"))).toEqual([
      "A1 names test/gone.test.ts, which does not exist",
    ]);
  });
});

function checkConformance(text: string, exists: (path: string) => boolean): string[] {
  const rows = [...text.matchAll(/^\| ([A-I]\d*) \|.*\| (.*) \|$/gm)].map((row) => ({ id: row[1]!, shownBy: row[2]! }));
  const counts = required.map((id) => ({ id, count: rows.filter((row) => row.id === id).length }));
  return [
    ...counts.filter(({ count }) => count === 0).map(({ id }) => `${id} has no row`),
    ...counts.filter(({ count }) => count > 1).map(({ id, count }) => `${id} has ${count} rows`),
    ...rows.filter(({ id }) => !required.includes(id)).map(({ id }) => `${id} is no requirement`),
    ...rows.flatMap(({ id, shownBy }) => {
      const tests = [...shownBy.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map((match) => match[1]!);
      if (tests.length === 0 && !/not built yet \(issue: [^)]+\)/.test(shownBy)) {
        return [`${id} names neither a test file nor an issue`];
      }
      return tests.filter((path) => !exists(path)).map((path) => `${id} names ${path}, which does not exist`);
    }),
  ];
}
