import { chmod, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { lsTool } from "../../src/tools/ls.ts";
import { unprivileged } from "../support/unprivileged.ts";
import { addFiles, addRawName } from "./search-support.ts";
import { contextFor, runTool } from "./support.ts";

const ls = async (ctx: ToolContext, params: { path?: string; limit?: number } = {}) =>
  (await runTool(lsTool, params, ctx)).text;

async function folderWith(...names: string[]): Promise<ToolContext> {
  const ctx = await contextFor();
  await addFiles(ctx, Object.fromEntries(names.map((name) => [name, ""])));
  return ctx;
}

test("sorted ignoring case, dotfiles too, / on folders, links with their target (8.28)", async () => {
  const ctx = await folderWith("b", "A", "a", ".env", "C/x", ".git/config");
  await symlink("C", join(ctx.cwd, "l"));
  await symlink("A", join(ctx.cwd, "m"));
  await symlink("gone\n", join(ctx.cwd, "n"));
  expect((await ls(ctx)).split("\n")).toEqual([
    ".env",
    ".git/",
    "A",
    "a",
    "b",
    "C/",
    "l -> C/",
    "m -> A",
    "n -> gone\\n (missing)",
  ]);
  expect(await ls(ctx, { path: "l" })).toBe("x");
});

test("500 entries; limits below 1 mean 1; the note only if there are more", async () => {
  const ctx = await folderWith(...Array.from({ length: 500 }, (_, index) => `f${index}`));
  expect((await ls(ctx)).split("\n")).toHaveLength(500);
  await addFiles(ctx, { g: "" });
  const { text, details } = await runTool(lsTool, {}, ctx);
  expect(text).toMatch(/\n\n\[500 of 501 entries shown; use limit=1000 for more\.\]$/);
  expect(details).toEqual({ path: ctx.cwd, entries: 501, truncated: true });
  for (const limit of [0, -3]) {
    expect(await ls(ctx, { limit })).toBe("f0\n\n[1 of 501 entries shown; use limit=2 for more.]");
  }
  await expect(ls(ctx, { limit: Number.POSITIVE_INFINITY })).rejects.toThrow("finite");
});

test("50 KB", async () => {
  const ctx = await folderWith(...Array.from({ length: 300 }, (_, index) => `${"x".repeat(200)}${index}`));
  expect(await ls(ctx)).toMatch(/of 300 entries shown; the limit is 50 KB\.\]$/);
});

test("an empty folder is said to be one", async () => {
  expect(await ls(await contextFor())).toBe("[. is an empty folder.]");
});

test("odd names are escaped, one line each (B34, B35)", async () => {
  const ctx = await folderWith("a\nb", "-x", "q'\"", "😀", "n".repeat(255));
  await addRawName(ctx, Buffer.from("raw\xe9", "latin1"), "");
  expect((await ls(ctx)).split("\n")).toEqual(["-x", "a\\nb", "n".repeat(255), "q'\"", "raw\\xE9", "😀"]);
});

test("paths: every spelling; missing, a file and no permission have errors of their own (P06)", async () => {
  const ctx = await folderWith("d/f");
  const folder = join(ctx.cwd, "d");
  for (const path of ["d", "@d", "./d/", folder, pathToFileURL(folder).href]) expect(await ls(ctx, { path })).toBe("f");
  await expect(ls(ctx, { path: "..%2fd" })).rejects.toThrow("There is no file or folder ..%2fd.");
  await expect(ls(ctx, { path: "d/f" })).rejects.toThrow("d/f is a file, not a folder. Read it with read.");
  await expect(ls(ctx, { path: "d/f/g" })).rejects.toThrow("A part of the path d/f/g is a file");
  await mkdir(join(ctx.cwd, "locked"));
  await chmod(join(ctx.cwd, "locked"), 0);
  await unprivileged([dirname(ctx.cwd)], () =>
    expect(ls(ctx, { path: "locked" })).rejects.toThrow("No permission for locked (EACCES)"),
  );
});

test("preview names the folder", async () => {
  const ctx = await contextFor();
  expect(await lsTool.preview!({ path: "later" }, ctx)).toEqual({
    summary: "later",
    display: [{ kind: "text", text: join(ctx.cwd, "later") }],
    paths: [{ path: join(ctx.cwd, "later"), access: "read" }],
    digestParts: [],
  });
});
