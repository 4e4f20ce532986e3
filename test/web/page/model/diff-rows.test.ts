import { describe, expect, it } from "vitest";
import { diffCounts, diffRows, patchOf } from "../../../../src/web/page/model/diff-rows.ts";

const rowsOf = (patch: string): string[] =>
  diffRows(patch).map(({ kind, before, after, text }) => `${kind} ${before ?? ""}:${after ?? ""} ${text}`);

describe("diffRows", () => {
  it("numbers the rows of both files and leaves the head out", () => {
    const patch = "--- src/a.ts\n+++ src/a.ts\n@@ -10,3 +10,4 @@\n one\n-two\n+2\n+2b\n three\n@@ -40 +41 @@\n-x\n+y\n";
    expect(rowsOf(patch)).toEqual([
      "hunk : @@ -10,3 +10,4 @@",
      "same 10:10 one",
      "removed 11: two",
      "added :11 2",
      "added :12 2b",
      "same 12:13 three",
      "hunk : @@ -40 +41 @@",
      "removed 40: x",
      "added :41 y",
    ]);
    expect(diffCounts(diffRows(patch))).toEqual({ added: 3, removed: 2 });
  });

  it("takes no removed row for a head", () => {
    const patch = "--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- a comment\n+++ b\n-x\n";
    expect(rowsOf(patch).slice(1)).toEqual(["removed 1: -- a comment", "added :1 ++ b", "removed 2: x"]);
  });

  it("says what was cut, keeps blank rows, shows what hides", () => {
    const patch =
      "@@ -1,3 +1,3 @@\n a\n\n-b\u202e\n+b\n\\ No newline at end of file\n… 12 more lines of this change are not shown\n";
    expect(rowsOf(patch)).toEqual([
      "hunk : @@ -1,3 +1,3 @@",
      "same 1:1 a",
      "same 2:2 ",
      "removed 3: b\\u202e",
      "added :3 b",
      "note : \\ No newline at end of file",
      "note : … 12 more lines of this change are not shown",
    ]);
  });

  it("shows rows without a hunk", () => {
    expect(rowsOf("+a\n-b\nc")).toEqual(["added : a", "removed : b", "note : c"]);
  });
});

describe("patchOf", () => {
  it("finds text and rows", () => {
    expect(patchOf({ diff: "x" })).toBe("x");
    expect(patchOf({ diff: ["a", "b"] })).toBe("a\nb");
    for (const nothing of [undefined, null, {}, { diff: "" }, { diff: [1] }]) expect(patchOf(nothing)).toBeUndefined();
  });
});
