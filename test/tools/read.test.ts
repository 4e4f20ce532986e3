import { execFileSync } from "node:child_process";
import { truncateSync } from "node:fs";
import { appendFile, chmod, mkdir, open, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Check, Convert } from "@sinclair/typebox/value";
import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { readTool } from "../../src/tools/read.ts";
import { unprivileged } from "../support/unprivileged.ts";
import { contextFor, runTool } from "./support.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

async function withFile(content: string | Buffer, name = "f"): Promise<ToolContext> {
  const ctx = await contextFor();
  await writeFile(join(ctx.cwd, name), content);
  return ctx;
}

const read = (ctx: ToolContext, path: string, range: { offset?: number; limit?: number } = {}) =>
  runTool(readTool, { path, ...range }, ctx);

describe("read: text", () => {
  test("2000 lines are whole, 2500 are cut with the place to go on", async () => {
    const whole = await read(await withFile(numbers(2000)), "f");
    expect(whole.text).toBe(numbers(2000).trimEnd());
    const cut = await read(await withFile(numbers(2500)), "f");
    expect(cut.text.endsWith("\n2000\n\n[Lines 1-2000 of 2500. Continue with offset=2001.]")).toBe(true);
    expect(cut.details).toMatchObject({ firstLine: 1, lastLine: 2000, totalLines: 2500, truncated: true });
  });

  test("50 KB are the other limit, in whole lines", async () => {
    const { text } = await read(await withFile(`${"x".repeat(999)}\n`.repeat(100)), "f");
    expect(text.startsWith(`${"x".repeat(999)}\n`)).toBe(true);
    expect(text).toContain("[Lines 1-51 of 100 (limit 50 KB). Continue with offset=52.]");
  });

  test("offset and limit: how many lines remain and where", async () => {
    const { text } = await read(await withFile(numbers(2500)), "f", { offset: 2400, limit: 10 });
    expect(text).toBe(
      `${numbers(2409).split("\n").slice(2399, 2409).join("\n")}\n\n[91 more lines in the file. Continue with offset=2410.]`,
    );
  });

  test("the last piece has no note", async () => {
    const ctx = await withFile(numbers(20));
    expect((await read(ctx, "f", { offset: 19 })).text).toBe("19\n20");
    expect((await read(ctx, "f", { offset: 11, limit: 10 })).text).toBe(
      numbers(20).split("\n").slice(10, 20).join("\n"),
    );
  });

  test.each([0, -1, -(2 ** 53)])("offset %s means the first line, and says so (B26)", async (offset) => {
    const { text } = await read(await withFile("a\nb\n"), "f", { offset });
    expect(text).toBe(`a\nb\n\n[offset ${offset} was taken as 1.]`);
  });

  test("a limit below 1 means 1; a fraction, NaN or infinity is refused by the schema or the tool (B26)", async () => {
    const ctx = await withFile("a\nb\n");
    expect((await read(ctx, "f", { limit: 0 })).text).toBe(
      "a\n\n[1 more line in the file. Continue with offset=2.]\n\n[limit 0 was taken as 1.]",
    );
    expect((await read(ctx, "f", { offset: -3, limit: -2 })).text).toContain(
      "[offset -3 was taken as 1; limit -2 was taken as 1.]",
    );
    await expect(read(ctx, "f", { offset: Number.POSITIVE_INFINITY })).rejects.toThrow("finite");
    const fits = (limit: unknown) => Check(readTool.parameters, Convert(readTool.parameters, { path: "f", limit }));
    expect([fits("NaN"), fits(Number.POSITIVE_INFINITY), fits([]), fits(5)]).toEqual([false, false, false, true]);
  });

  test.each([3, 2 ** 53])("offset %s past the end is an error with the line count", async (offset) => {
    await expect(read(await withFile("a\nb\n"), "f", { offset })).rejects.toThrow("which has 2 lines");
  });

  test("a first line over the limit is not shown; a command is named, and works", async () => {
    const ctx = await withFile(`${"y".repeat(70_000)}\nshort\n`, "it's");
    const { text } = await read(ctx, "it's");
    expect(text).toContain("Line 1 is 68.4 KB");
    const command = /bash: (.*)\]$/.exec(text)![1]!;
    expect(execFileSync("bash", ["-c", command]).toString()).toBe("y".repeat(51_200));
    expect((await read(ctx, "it's", { offset: 2 })).text).toBe("short");
  });

  test("an empty file, a missing last newline, CR and BOM", async () => {
    expect((await read(await withFile(""), "f")).text).toBe("[The file is empty.]");
    expect((await read(await withFile("a\nb"), "f")).details!.totalLines).toBe(2);
    expect((await read(await withFile("\uFEFFa\r\nb\r\n"), "f")).text).toBe("a\r\nb\r");
    expect((await read(await withFile("\n\n"), "f")).text).toBe("\n");
  });

  test("bytes that are not UTF-8 are replaced, with a note; characters at chunk edges are whole", async () => {
    const { text } = await read(await withFile(Buffer.from([0x61, 0xe9, 0x0a])), "f");
    expect(text).toContain("a\uFFFD\n\n[The file is not UTF-8");
    const wide = `${"中文内容".repeat(3000)}\n`;
    const ctx = await withFile(wide.repeat(20));
    expect((await read(ctx, "f", { offset: 10, limit: 1 })).text.startsWith(wide.trimEnd())).toBe(true);
    expect((await read(await withFile("real \uFFFD\n"), "f")).text).toBe("real \uFFFD");
  });

  test("5 GB: a range is read with bounded memory (B30)", async () => {
    const ctx = await withFile(numbers(10));
    const path = join(ctx.cwd, "f");
    truncateSync(path, 5 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    // NUL bytes from line 11 on, so the head does not look like text: put text there first.
    const file = await open(path, "r+");
    await file.write("z\n".repeat(8192), 21);
    await file.close();
    const { text } = await read(ctx, "f", { offset: 4000, limit: 2 });
    expect(text.startsWith("z\nz\n")).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("an abort ends a long read with its reason", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    const ctx = await withFile("a");
    await expect(runTool(readTool, { path: "f" }, ctx, { signal })).rejects.toThrow("stop");
  });
});

describe("read: what is no text (images: image-resize.test.ts)", () => {
  test("text that begins like a bitmap is text", async () => {
    expect((await read(await withFile("BMW is a car maker, they say\n"), "f")).text).toBe(
      "BMW is a car maker, they say",
    );
  });

  test("binary, folder, missing, pipe, NUL in the path: each its own error (B30)", async () => {
    const ctx = await withFile(Buffer.from([1, 0, 2]));
    await mkdir(join(ctx.cwd, "folder"));
    execFileSync("/usr/bin/env", ["mkfifo", join(ctx.cwd, "pipe")]);
    await appendFile(join(ctx.cwd, "utf16"), Buffer.from([0xff, 0xfe, 0x61, 0]));
    await expect(read(ctx, "f")).rejects.toThrow("f is a binary file (3 bytes)");
    await expect(read(ctx, "utf16")).rejects.toThrow("looks like UTF-16");
    await expect(read(ctx, "folder")).rejects.toThrow("folder is a folder");
    await expect(read(ctx, "none")).rejects.toThrow("File not found: none");
    await expect(read(ctx, "f/below")).rejects.toThrow("is a file, not a folder");
    await expect(read(ctx, "pipe")).rejects.toThrow("not a regular file");
    await expect(read(ctx, "a\0b")).rejects.toThrow("NUL");
    await expect(read(ctx, "")).rejects.toThrow("empty");
    await expect(read(ctx, "n".repeat(300))).rejects.toThrow("too long");
  });

  test("no permission has its own error", async () => {
    const ctx = await withFile("secret");
    await chmod(join(ctx.cwd, "f"), 0);
    await unprivileged([ctx.cwd], () => expect(read(ctx, "f")).rejects.toThrow("No permission for f (EACCES)"));
  });
});

describe("read: paths (8.6)", () => {
  test("leading @, file URL, ./, absolute, ~", async () => {
    const ctx = await withFile("x");
    const path = join(ctx.cwd, "f");
    for (const spelling of ["@f", "./f", path, `@${path}`, pathToFileURL(path).href]) {
      expect((await read(ctx, spelling)).text).toBe("x");
    }
    await expect(read(ctx, "~/tempi-surely-missing")).rejects.toThrow(`${homedir()}/tempi-surely-missing`);
    await expect(read(ctx, "file://other.example/f")).rejects.toThrow("Not a path of this machine");
    await expect(read(ctx, "file:///a%2fb")).rejects.toThrow("Not a path of this machine");
  });

  test("odd spaces and macOS spellings find the file; a name that exists as it stands wins", async () => {
    const ctx = await withFile("a", "with space");
    await writeFile(join(ctx.cwd, "odd\u00A0space"), "b");
    await writeFile(join(ctx.cwd, "Screenshot 2.14\u202FPM.txt"), "c");
    await writeFile(join(ctx.cwd, "cafe\u0301"), "d");
    await writeFile(join(ctx.cwd, "it\u2019s"), "e");
    await writeFile(join(ctx.cwd, "@at"), "f");
    const names = ["with\u00A0space", "odd\u00A0space", "Screenshot 2.14 PM.txt", "caf\u00E9", "it's", "@at"];
    const texts = await Promise.all(names.map(async (name) => (await read(ctx, name)).text));
    expect(texts).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("preview names the range and the real path, and does not need the file", async () => {
    const ctx = await contextFor();
    const preview = await readTool.preview!({ path: "later.txt", offset: 5, limit: 10 }, ctx);
    expect(preview).toEqual({
      summary: "later.txt:5-14",
      display: [{ kind: "text", text: join(ctx.cwd, "later.txt") }],
      paths: [{ path: join(ctx.cwd, "later.txt"), access: "read" }],
      digestParts: [],
    });
  });
});
