import { lstatSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Check } from "@sinclair/typebox/value";
import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { editTool } from "../../src/tools/edit.ts";
import { contextFor, nextCall, runTool } from "./support.ts";

type Edits = { oldText: string; newText: string }[];

const file = (ctx: ToolContext, name = "f") => join(ctx.cwd, name);
const bytes = (ctx: ToolContext, name = "f") => readFileSync(file(ctx, name), "utf8");

async function withFile(content: string | Buffer, name = "f"): Promise<ToolContext> {
  const ctx = await contextFor();
  await writeFile(file(ctx, name), content);
  return ctx;
}

/** Edits `content` and gives the new content. */
async function edited(content: string, edits: Edits): Promise<string> {
  const ctx = await withFile(content);
  await runTool(editTool, { path: "f", edits }, ctx);
  return bytes(ctx);
}

const one = (oldText: string, newText: string): Edits => [{ oldText, newText }];

describe("edit: matching", () => {
  test("replaces blocks, says how many, gives the patch", async () => {
    const ctx = await withFile("one\ntwo\nthree\n");
    const edits = [...one("one", "1"), ...one("three", "3\n4")];
    const { text, details } = await runTool(editTool, { path: "f", edits }, ctx);
    expect(bytes(ctx)).toBe("1\ntwo\n3\n4\n");
    expect(text).toBe("Replaced 2 blocks in f.");
    expect(details).toMatchObject({ firstChangedLine: 1, added: 3, removed: 2 });
    expect(details!.diff).toBe("--- f\n+++ f\n@@ -1,3 +1,4 @@\n-one\n+1\n two\n-three\n+3\n+4\n");
  });

  test("matches the original, not the text that an earlier block made; all or nothing", async () => {
    const ctx = await withFile("one\ntwo\n");
    const edits = [...one("one", "three"), ...one("three", "four")];
    await expect(runTool(editTool, { path: "f", edits }, ctx)).rejects.toThrow("Could not find edits[1].oldText in f");
    expect(bytes(ctx)).toBe("one\ntwo\n");
  });

  test.each<[string, Edits, string]>([
    ["empty list", [], "edits is empty"],
    ["empty old text", one("", "x"), "oldText is empty"],
    ["not found", one("zzz", "x"), "Could not find oldText"],
    ["found twice", one("x", "y"), "Found 2 occurrences of oldText"],
    ["overlapping itself", one("aa", "b"), "Found 2 occurrences"],
    ["overlap", [...one("b c", "1"), ...one("c d", "2")], "edits[0] and edits[1] overlap"],
    ["the same text in two blocks", [...one("b", "1"), ...one("b", "2")], "edits[0] and edits[1] overlap"],
    ["equal to new", one("b c d", "b c d"), "No change"],
  ])("refuses with its own reason, in execute and preview: %s (B31)", async (_name, edits, message) => {
    const content = "x\naaa\nb c d\nx\n";
    const ctx = await withFile(content);
    await expect(runTool(editTool, { path: "f", edits }, ctx)).rejects.toThrow(message);
    await expect(editTool.preview!({ path: "f", edits }, ctx)).rejects.toThrow(message);
    expect(bytes(ctx)).toBe(content);
  });

  test("a missing file, a folder, a binary file and another encoding are refused", async () => {
    const ctx = await contextFor();
    await mkdir(file(ctx, "folder"));
    await writeFile(file(ctx, "latin"), Buffer.from([0x61, 0xe9, 0x62]));
    await writeFile(file(ctx, "utf16"), Buffer.from([0xff, 0xfe, 0x61, 0]));
    const edit = (path: string) => runTool(editTool, { path, edits: one("a", "b") }, ctx);
    await expect(edit("none")).rejects.toThrow("File not found: none");
    await expect(edit("folder")).rejects.toThrow("folder is a folder");
    await expect(edit("latin")).rejects.toThrow("latin is not UTF-8 text; editing it would change other bytes");
    await expect(edit("utf16")).rejects.toThrow("looks like UTF-16");
    expect(readFileSync(file(ctx, "latin"))).toEqual(Buffer.from([0x61, 0xe9, 0x62]));
  });

  test("loose: plain quotes and missing trailing blanks find the line; only that line changes (case 41)", async () => {
    const content = "let a = “hi”;   \nlet b\u00A0= 2;  \n";
    const result = await edited(content, one('let a = "hi";', 'let a = "ho";'));
    expect(result).toBe('let a = "ho";\nlet b\u00A0= 2;  \n');
  });

  test("loose: full-width text, dashes, compatibility forms", async () => {
    expect(await edited("ＡＢＣ\n", one("ABC", "x"))).toBe("x\n");
    expect(await edited("1–2\n", one("1-2", "3-4"))).toBe("3-4\n");
    expect(await edited("ﬁne\n", one("fine", "good"))).toBe("good\n");
    expect(await edited("cafe\u0301 ok\n", one("café", "tea"))).toBe("tea ok\n");
    expect(await edited("한글".normalize("NFD"), one("한글", "x"))).toBe("x");
  });

  test("loose: half of a character that is one in the file is not found", async () => {
    const ctx = await withFile("ﬁne\n");
    const running = runTool(editTool, { path: "f", edits: one("ine", "x") }, ctx);
    await expect(running).rejects.toThrow("Could not find");
  });

  test("loose: several lines, blanks at the ends of the old text's lines, too", async () => {
    expect(await edited("a  \n\nb — c\nd\n", one("a\n\nb - c", "x"))).toBe("x\nd\n");
    expect(await edited("foo\nbar\n", one("foo  \nbar  ", "x"))).toBe("x\n");
    expect(await edited("a\n   \nb\n", one("a\n\nb", "x"))).toBe("x\n");
  });

  test("loose: what fits twice is refused, also when one fits exactly", async () => {
    const ctx = await withFile('a “x”\nb\na "x"\n');
    const running = runTool(editTool, { path: "f", edits: one('a "x"', "y") }, ctx);
    await expect(running).rejects.toThrow("Found 2 occurrences");
  });

  test("an old text that ends in a blank is not taken for its beginning elsewhere", async () => {
    expect(await edited("foo bar\nfood\n", one("foo ", "x"))).toBe("xbar\nfood\n");
    expect(await edited("a  b\n", one("  ", " "))).toBe("a b\n");
  });
});

describe("edit: bytes that stay", () => {
  test.each<[string, string, Edits, string]>([
    ["each line its own ending (case 37)", "a\r\nb\nc", one("c", "C"), "a\r\nb\nC"],
    ["BOM and CRLF for new lines (case 38)", "\uFEFFa\r\nb\r\n", one("b", "b\nc"), "\uFEFFa\r\nb\r\nc\r\n"],
    ["old text given with LF", "a\r\nb\r\nc\r\n", one("a\nb", "x\ny"), "x\r\ny\r\nc\r\n"],
    ["old and new text given with CRLF", "a\nb\n", one("a\r\nb", "x\r\ny"), "x\ny\n"],
    ["an inserted line in a mixed file", "a\r\nb\nc\n", one("a\nb\nc", "a\nnew\nb\nc"), "a\r\nnew\r\nb\nc\n"],
    ["a removed line", "a\r\nb\nc\r\n", one("b\n", ""), "a\r\nc\r\n"],
    ["no last newline", "a\nb", one("b", "b\nc"), "a\nb\nc"],
    ["no last newline in a CRLF file", "a\r\nb", one("b", "b\nc"), "a\r\nb\r\nc"],
    ["a last newline that is added", "a\r\nb", one("b", "b\n"), "a\r\nb\r\n"],
    ["one line only", "a", one("a", "x\ny"), "x\ny"],
    ["a line before the first", "a\r\nb\n", one("a", "0\na"), "0\r\na\r\nb\n"],
    ["a lone CR", "a\rb\nc\n", one("c", "d"), "a\rb\nd\n"],
    ["two blocks in one line", "a b c\r\nd\n", [...one("a", "1"), ...one("c", "3\n4")], "1 b 3\r\n4\r\nd\n"],
    ["neighbours that share an edge", "ab\n", [...one("a", "1"), ...one("b", "2")], "12\n"],
  ])("%s", async (_name, content, edits, expected) => {
    expect(await edited(content, edits)).toBe(expected);
  });

  test("a BOM is not part of the first line", async () => {
    expect(await edited("\uFEFFa\n", one("a", "b"))).toBe("\uFEFFb\n");
  });

  test("link and mode stay; the target changes (case 43)", async () => {
    const ctx = await withFile("x\n", "real.sh");
    await chmod(file(ctx, "real.sh"), 0o755);
    await symlink("real.sh", file(ctx, "link"));
    const { text } = await runTool(editTool, { path: "link", edits: one("x", "y") }, ctx);
    expect(readlinkSync(file(ctx, "link"))).toBe("real.sh");
    expect(lstatSync(file(ctx, "link")).isSymbolicLink()).toBe(true);
    expect(bytes(ctx, "real.sh")).toBe("y\n");
    expect(statSync(file(ctx, "real.sh")).mode & 0o777).toBe(0o755);
    expect(text).toContain("real.sh");
  });

  test("no temporary file is left", async () => {
    const ctx = await withFile("x\n");
    await runTool(editTool, { path: "f", edits: one("x", "y") }, ctx);
    expect(await readdir(ctx.cwd)).toEqual(["f"]);
  });

  test.each(["a b", 'it\'s "q"', "new\nline", "🙂", "-x", "n".repeat(255), "@scope"])(
    "file name %j works (B34)",
    async (name) => {
      const ctx = await withFile("x\n", name);
      await runTool(editTool, { path: name, edits: one("x", "y") }, ctx);
      expect(bytes(ctx, name)).toBe("y\n");
    },
  );
});

describe("edit: arguments", () => {
  const prepare = editTool.prepareArguments!;

  test.each([
    ["list as JSON text (case 1)", { path: "f", edits: '[{"oldText":"x","newText":"y"}]' }],
    ["single block", { path: "f", edits: { oldText: "x", newText: "y" } }],
    ["single block as JSON text", { path: "f", edits: '{"oldText":"x","newText":"y"}' }],
    ["flat", { path: "f", oldText: "x", newText: "y" }],
    ["flat beside an empty list", { path: "f", edits: [], oldText: "x", newText: "y" }],
  ])("folds: %s", async (_name, args) => {
    const copy = structuredClone(args);
    const folded = prepare(args);
    expect(folded).toEqual({ path: "f", edits: one("x", "y") });
    expect(args).toEqual(copy);
  });

  test.each([
    { path: "f", edits: one("x", "y") },
    { path: "f", edits: "not JSON" },
    { path: "f", edits: "7" },
    { path: "f", edits: 7, oldText: "x", newText: "y" },
    { path: "f", oldText: "x" },
    null,
    "text",
    [1],
  ])("leaves %j as it is, the same reference", (args) => {
    expect(prepare(args)).toBe(args);
  });

  test("text that is no JSON fails the schema at edits; invented fields pass (case 7)", async () => {
    expect(Check(editTool.parameters, prepare({ path: "f", edits: "not JSON" }))).toBe(false);
    const ctx = await withFile("x\n");
    const params = { path: "f", edits: [{ oldText: "x", newText: "y", reason: "tidy" }] };
    expect(Check(editTool.parameters, params)).toBe(true);
    await runTool(editTool, params, ctx);
    expect(bytes(ctx)).toBe("y\n");
  });
});

describe("edit: once", () => {
  const params = { path: "f", edits: one("x", "y") };

  /** Runs attempt 1 to its end; the test then undoes or changes what it did. */
  async function afterFirst() {
    const ctx = await withFile("x\n");
    const first = await runTool(editTool, params, ctx);
    return { ctx, first, again: () => runTool(editTool, params, { ...ctx, attempt: 2 }) };
  }

  test("journal written, file new: success once, the same result (case 44)", async () => {
    const { ctx, first, again } = await afterFirst();
    await rm(join(ctx.callFolder, "change.done"));
    expect(await again()).toEqual(first);
    expect(bytes(ctx)).toBe("y\n");
  });

  test("journal written, file old: the change is made", async () => {
    const { ctx, first, again } = await afterFirst();
    await rm(join(ctx.callFolder, "change.done"));
    await writeFile(file(ctx), "x\n");
    const journal = JSON.parse(readFileSync(join(ctx.callFolder, "change.json"), "utf8"));
    await writeFile(file(ctx, journal.temporaryName), "half");
    expect(await again()).toEqual(first);
    expect(bytes(ctx)).toBe("y\n");
    expect(await readdir(ctx.cwd)).toEqual(["f"]);
  });

  test("journal written, file is neither: conflict, the other's bytes stay", async () => {
    const { ctx, again } = await afterFirst();
    await rm(join(ctx.callFolder, "change.done"));
    await writeFile(file(ctx), "other\n");
    const result = await again();
    expect(result.isError).toBe(true);
    expect(result.text).toContain("someone else changed f");
    expect(bytes(ctx)).toBe("other\n");
  });

  test("done is done, whatever others made of the file since", async () => {
    const { ctx, first, again } = await afterFirst();
    await writeFile(file(ctx), "other\n");
    expect(await again()).toEqual(first);
    expect(bytes(ctx)).toBe("other\n");
  });

  test("a further attempt without a journal makes the change", async () => {
    const ctx = await withFile("x\n");
    await runTool(editTool, params, { ...ctx, attempt: 2 });
    expect(bytes(ctx)).toBe("y\n");
  });

  test("takes the mutex of the real path, whatever the spelling (case 40)", async () => {
    const content = Array.from({ length: 100 }, (_, index) => `line ${index + 1};`).join("\n");
    const ctx = await withFile(content);
    await symlink("f", file(ctx, "link"));
    const queues = new Map<string, Promise<unknown>>();
    const withFileMutex: ToolContext["withFileMutex"] = (path, fn) => {
      const turn = (queues.get(path) ?? Promise.resolve()).then(fn, fn);
      queues.set(path, turn);
      return turn;
    };
    const edit = async (path: string, line: number) =>
      runTool(editTool, { path, edits: one(`line ${line};`, `LINE ${line};`) }, await nextCall(ctx, { withFileMutex }));
    await Promise.all([edit("f", 50), edit("./f", 75), edit("link", 20)]);
    expect([...queues.keys()]).toEqual([file(ctx)]);
    for (const line of [20, 50, 75]) expect(bytes(ctx)).toContain(`LINE ${line};`);
  });

  test("a file that changes before the rename is a conflict", async () => {
    const ctx = await withFile("x\n");
    let reads = 0;
    // The journal is the last thing written before the temporary file: change the file right then.
    const { watch } = await import("node:fs");
    const watcher = watch(ctx.cwd, () => {
      if (reads++ === 0) void writeFile(file(ctx), "other\n");
    });
    const big = { path: "f", edits: one("x", "y".repeat(15_000_000)) };
    const result = await runTool(editTool, big, ctx);
    watcher.close();
    expect(result.isError).toBe(true);
    expect(result.text).toContain("someone else changed f");
    expect(bytes(ctx)).toBe("other\n");
    expect(await readdir(ctx.cwd)).toEqual(["f"]);
  });

  test("an abort before the change leaves the file", async () => {
    const ctx = await withFile("x\n");
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(runTool(editTool, params, ctx, { signal })).rejects.toThrow("stop");
    expect(bytes(ctx)).toBe("x\n");
  });
});

describe("edit: preview", () => {
  test("shows path, counts and patch, changes nothing, digests the file", async () => {
    const ctx = await withFile("x\nz\n");
    const preview = await editTool.preview!({ path: "./f", edits: one("x", "y\nw") }, ctx);
    expect(preview.summary).toBe("f (+2 −1)");
    expect(preview.paths).toEqual([{ path: file(ctx), access: "write" }]);
    expect(preview.display[0]).toMatchObject({ kind: "diff", path: file(ctx) });
    expect(bytes(ctx)).toBe("x\nz\n");
    await writeFile(file(ctx), "x\nother\n");
    const later = await editTool.preview!({ path: "./f", edits: one("x", "y\nw") }, ctx);
    expect(later.digestParts).not.toEqual(preview.digestParts);
  });

  test("names the real place of a link that leads outside (P02)", async () => {
    const ctx = await contextFor();
    const outside = await contextFor();
    await writeFile(file(outside), "x\n");
    await symlink(outside.cwd, file(ctx, "l"));
    const preview = await editTool.preview!({ path: "l/f", edits: one("x", "y") }, ctx);
    expect(preview.summary).toBe(`${file(outside)} (+1 −1)`);
    expect(preview.paths[0]!.path).toBe(file(outside));
  });
});
