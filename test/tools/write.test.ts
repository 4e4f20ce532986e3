import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Check } from "@sinclair/typebox/value";
import { describe, expect, test } from "vitest";
import { writeTool } from "../../src/tools/write.ts";
import { unprivileged } from "../support/unprivileged.ts";
import { contextFor, nextCall, runTool } from "./support.ts";

describe("write", () => {
  test("creates folders and the file, then replaces it and keeps the mode", async () => {
    const ctx = await contextFor();
    const path = join(ctx.cwd, "a/b/c.txt");
    const first = await runTool(writeTool, { path: "a/b/c.txt", content: "one\ntwo\n" }, ctx);
    expect(first.text).toBe("Created a/b/c.txt (8 bytes).");
    expect(first.details).toMatchObject({ added: 2, removed: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
    await chmod(path, 0o755);
    const second = await runTool(writeTool, { path, content: "one\n2\n" }, await nextCall(ctx));
    expect(second.text).toBe("Replaced a/b/c.txt (6 bytes).");
    expect(second.details).toMatchObject({ added: 1, removed: 1, firstChangedLine: 2 });
    expect(readFileSync(path, "utf8")).toBe("one\n2\n");
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(await readdir(join(ctx.cwd, "a/b"))).toEqual(["c.txt"]);
  });

  test("writes through links, also dangling ones", async () => {
    const ctx = await contextFor();
    await writeFile(join(ctx.cwd, "real"), "old");
    await symlink("real", join(ctx.cwd, "link"));
    await symlink("later", join(ctx.cwd, "dangling"));
    await runTool(writeTool, { path: "link", content: "new" }, ctx);
    await runTool(writeTool, { path: "dangling", content: "made" }, await nextCall(ctx));
    expect(lstatSync(join(ctx.cwd, "link")).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(ctx.cwd, "dangling")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(ctx.cwd, "real"), "utf8")).toBe("new");
    expect(readFileSync(join(ctx.cwd, "later"), "utf8")).toBe("made");
  });

  test("over a folder, below a file and above 10 MB it says why and creates nothing (B33)", async () => {
    const ctx = await contextFor();
    await mkdir(join(ctx.cwd, "folder"));
    await writeFile(join(ctx.cwd, "file"), "x");
    const write = (path: string, content = "x") => runTool(writeTool, { path, content }, ctx);
    await expect(write("folder")).rejects.toThrow("folder is a folder");
    await expect(write("file/below")).rejects.toThrow("is a file, not a folder");
    await expect(write("big", "x".repeat(11 * 1024 * 1024))).rejects.toThrow("at most 10 MB");
    await expect(write("")).rejects.toThrow("path is empty");
    await expect(write("a\0b")).rejects.toThrow("NUL");
    expect(existsSync(join(ctx.cwd, "big"))).toBe(false);
  });

  test("a read-only file or folder is refused, in preview too", async () => {
    const ctx = await contextFor();
    await writeFile(join(ctx.cwd, "f"), "old", { mode: 0o444 });
    await mkdir(join(ctx.cwd, "folder"), { mode: 0o555 });
    const params = { path: "f", content: "x" };
    await unprivileged([dirname(ctx.callFolder), ctx.cwd], async () => {
      await expect(runTool(writeTool, params, ctx)).rejects.toThrow("No permission for f (EACCES)");
      await expect(writeTool.preview!(params, ctx)).rejects.toThrow("No permission for f (EACCES)");
      await expect(runTool(writeTool, { path: "folder/g", content: "x" }, ctx)).rejects.toThrow(
        "No permission for folder/g",
      );
    });
    expect(readFileSync(join(ctx.cwd, "f"), "utf8")).toBe("old");
  });

  test("exact bytes of any text", async () => {
    const ctx = await contextFor();
    const content = "\uFEFFa\r\nb\n中文内容\u0000🙂";
    await runTool(writeTool, { path: "f", content }, ctx);
    expect(readFileSync(join(ctx.cwd, "f"), "utf8")).toBe(content);
  });

  test("content given as the JSON value itself is written as its text (case 4)", async () => {
    const prepare = writeTool.prepareArguments!;
    const folded = prepare({ path: "p.json", content: { name: "demo" } }) as { path: string; content: string };
    expect(folded.content).toBe('{\n  "name": "demo"\n}\n');
    expect((prepare({ path: "p", content: [1] }) as typeof folded).content).toBe("[\n  1\n]\n");
    const plain = { path: "p", content: '{"a":1}' };
    expect(prepare(plain)).toBe(plain);
  });

  test("missing content is left to the schema (case 8)", () => {
    const args = { path: "big.html" };
    expect(writeTool.prepareArguments!(args)).toBe(args);
    expect(Check(writeTool.parameters, args)).toBe(false);
    expect(Check(writeTool.parameters, { path: "f", content: null })).toBe(false);
  });

  test("a file that was not text can be replaced; its size does not matter", async () => {
    const ctx = await contextFor();
    await writeFile(join(ctx.cwd, "f"), Buffer.from([0xff, 0, 1, 2]));
    const { details } = await runTool(writeTool, { path: "f", content: "text\n" }, ctx);
    expect(details).toMatchObject({ added: 1, removed: 0 });
  });

  test("a rewrite of a huge file describes itself in bounded size and time", async () => {
    const ctx = await contextFor();
    const text = (sign: string) => Array.from({ length: 200_000 }, (_, index) => `${sign} ${index}`).join("\n");
    await writeFile(join(ctx.cwd, "f"), text("a"));
    const { details } = await runTool(writeTool, { path: "f", content: text("b") }, ctx);
    expect(details).toMatchObject({ added: 200_000, removed: 200_000 });
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(64 * 1024);
  });

  test("redelivered: done, not yet done, or conflict", async () => {
    const ctx = await contextFor();
    const path = join(ctx.cwd, "f");
    const params = { path: "f", content: "new" };
    const first = await runTool(writeTool, params, ctx);
    await rm(join(ctx.callFolder, "change.done"));
    const again = () => runTool(writeTool, params, { ...ctx, attempt: 2 });
    expect(await again()).toEqual(first);
    await rm(path);
    expect(await again()).toEqual(first);
    expect(readFileSync(path, "utf8")).toBe("new");
    await rm(join(ctx.callFolder, "change.done"));
    await writeFile(path, "other");
    expect((await again()).text).toContain("someone else changed f");
    expect(readFileSync(path, "utf8")).toBe("other");
  });

  test("preview: relative path, counts, diff, real path; nothing is written", async () => {
    const ctx = await contextFor();
    const preview = await writeTool.preview!({ path: "new/f", content: "a\nb\n" }, ctx);
    expect(preview).toMatchObject({
      summary: "new/f (+2 −0)",
      paths: [{ path: join(ctx.cwd, "new/f"), access: "write" }],
      digestParts: [`path ${join(ctx.cwd, "new/f")}`, "file absent"],
    });
    expect(preview.display[0]).toMatchObject({ kind: "diff", patch: expect.stringContaining("+a\n+b") });
    expect(existsSync(join(ctx.cwd, "new"))).toBe(false);
  });

  test("names with line breaks are shown escaped", async () => {
    const preview = await writeTool.preview!({ path: "a\nb\u001b[2J", content: "x" }, await contextFor());
    expect(preview.summary).toBe("a\\nb\\u001b[2J (+1 −0)");
  });
});
