import { chmod, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { createFindTool, findTool } from "../../src/tools/find.ts";
import { compileGlob } from "../../src/tools/glob.ts";
import { unprivileged } from "../support/unprivileged.ts";
import { addFiles, addRawName, repositoryWith, ripgrepForAll } from "./search-support.ts";
import { contextFor, runTool } from "./support.ts";

const find = async (ctx: ToolContext, pattern: string, fields: { path?: string; limit?: number } = {}) =>
  (await runTool(findTool, { pattern, ...fields }, ctx)).text;

describe("find (8.28)", () => {
  test("names anywhere if there is no slash, else from the search folder; sorted", async () => {
    const ctx = await repositoryWith({
      "b.ts": "",
      "src/a.ts": "",
      "src/deep/c.ts": "",
      "src/deep/d.js": "",
      src2: "",
    });
    expect(await find(ctx, "*.ts")).toBe("b.ts\nsrc/a.ts\nsrc/deep/c.ts");
    expect(await find(ctx, "src/*.ts")).toBe("src/a.ts");
    expect(await find(ctx, "./src/*.ts")).toBe("src/a.ts");
    expect(await find(ctx, "/b.*")).toBe("b.ts");
    expect(await find(ctx, "src/**/*.ts")).toBe("src/a.ts\nsrc/deep/c.ts");
    expect(await find(ctx, "deep/*", { path: "src" })).toBe("src/deep/c.ts\nsrc/deep/d.js");
    expect(await find(ctx, "src/*", { path: "src" })).toContain('No file or folder fits "src/*" in src.');
    expect(await find(ctx, "src*")).toBe("src/\nsrc2");
    expect(await find(ctx, "src*/")).toBe("src/");
    expect(await find(ctx, "src/**")).toBe("src/a.ts\nsrc/deep/\nsrc/deep/c.ts\nsrc/deep/d.js");
  });

  test("git's ignore rules, nested and before git init; hidden files yes, .git no", async () => {
    const files = {
      ".gitignore": "dist\n",
      ".env": "",
      "dist/a.js": "",
      "src/.gitignore": "*.gen.js\n!keep.gen.js\n",
      "src/x.gen.js": "",
      "src/keep.gen.js": "",
      "src/dist/b.js": "",
    };
    const ctx = await repositoryWith(files);
    expect(await find(ctx, "*")).toBe(".env\n.gitignore\nsrc/\nsrc/.gitignore\nsrc/keep.gen.js");
    expect(await find(ctx, "*.js", { path: "dist" })).toBe("dist/a.js");
    const plain = await contextFor();
    await addFiles(plain, files);
    expect(await find(plain, "*.js")).toBe("src/keep.gen.js");
  });

  test("1000 results; the note stands only if one more exists", async () => {
    const names = Array.from({ length: 1000 }, (_, index) => [`f${index}`, ""]);
    const ctx = await repositoryWith(Object.fromEntries(names) as Record<string, string>);
    expect((await find(ctx, "f*")).split("\n")).toHaveLength(1000);
    await addFiles(ctx, { fx: "" });
    const more = await runTool(findTool, { pattern: "f*" }, ctx);
    expect(more.text).toContain("[1000 results shown, more exist. Use limit=2000 or a narrower pattern.]");
    expect(more.details).toEqual({ path: ctx.cwd, results: 1000, truncated: true });
    expect(await find(ctx, "f*", { limit: 0 })).toBe(
      "f0\n\n[1 results shown, more exist. Use limit=2 or a narrower pattern.]",
    );
    const folder = "d".repeat(200);
    await addFiles(
      ctx,
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${folder}/${"x".repeat(40)}${index}`, ""])),
    );
    expect(await find(ctx, "x*", { limit: 5000 })).toContain("[50 KB shown, more exist.");
  });

  test("a pattern is only a pattern (case 52)", async () => {
    const ctx = await repositoryWith({ "-x": "", "--files": "", "a b": "", "!n": "", "[id].tsx": "" });
    for (const pattern of ["-x", "--files", "a b", "!n", "[id].tsx"]) expect(await find(ctx, pattern)).toBe(pattern);
    expect(await find(ctx, "--pre=sh")).toContain("No file or folder fits");
    await expect(find(ctx, "")).rejects.toThrow("glob is empty");
  });

  test("odd names: escaped on one line each (B34, B35)", async () => {
    const ctx = await repositoryWith({ "a\nb": "", "😀 '\"": "", ["n".repeat(255)]: "" });
    await addRawName(ctx, Buffer.from("\xc3\xbc\xe9.c", "latin1"), "");
    expect((await find(ctx, "*")).split("\n")).toEqual(["a\\nb", "n".repeat(255), "ü\\xE9.c", "😀 '\""]);
    expect(await find(ctx, "*.c")).toBe("ü\\xE9.c");
  });

  test("paths: every spelling; missing, a file and no permission have errors of their own (P06)", async () => {
    const ctx = await repositoryWith({ "d/f": "" });
    const folder = join(ctx.cwd, "d");
    await symlink(folder, join(ctx.cwd, "l"));
    for (const path of ["d", "@d", folder, pathToFileURL(folder).href, "l"])
      expect(await find(ctx, "f", { path })).toBe("d/f");
    await expect(find(ctx, "f", { path: "..%2fd" })).rejects.toThrow("There is no file or folder ..%2fd.");
    await expect(find(ctx, "f", { path: "d/f" })).rejects.toThrow("d/f is a file, not a folder.");
    await mkdir(join(ctx.cwd, "locked"));
    await chmod(join(ctx.cwd, "locked"), 0);
    const tool = createFindTool(60_000, await ripgrepForAll());
    await unprivileged([dirname(ctx.cwd)], async () => {
      expect((await runTool(tool, { pattern: "f" }, ctx)).text).toBe("d/f\n\n[Some folders could not be read.]");
      await expect(find(ctx, "f", { path: "locked" })).rejects.toThrow("No permission for locked (EACCES)");
    });
  });

  test("an abort ends it with its reason, a timeout with a note", async () => {
    const ctx = await repositoryWith({ f: "" });
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(runTool(findTool, { pattern: "f" }, ctx, { signal })).rejects.toThrow("stop");
    expect((await runTool(createFindTool(0), { pattern: "zz" }, ctx)).text).toContain("Stopped after 0 s");
  });
});

describe("globs", () => {
  test.each([
    ["*.{ts,tsx}", "a/b.tsx", true],
    ["{a,b/{c,d}}/*.js", "b/d/x.js", true],
    ["{a}", "{a}", true],
    ["a\\{b,c\\}", "a{b,c}", true],
    ["[a-c]?[!x]", "bzy", true],
    ["[a-c]?[!x]", "bzx", false],
    ["[", "[", true],
    ["?", "😀", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**", "a", false],
    ["**/a", "a", true],
    ["**", ".x/y", true],
    ["*", "a/.hidden", true],
    ["a*/b", "a/x/b", false],
    ["*.ts", "a.TS", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(compileGlob(pattern).matches(path)).toBe(expected);
  });

  test("time and alternatives are bounded, whatever the pattern", () => {
    const start = performance.now();
    expect(compileGlob(`${"*a".repeat(60)}*b`).matches("a".repeat(255))).toBe(false);
    expect(compileGlob(`${"**/a/".repeat(60)}b`).matches("a/".repeat(1000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(() => compileGlob("{a,b}".repeat(20))).toThrow("more than 200 alternatives");
  });
});

test("preview: pattern in path", async () => {
  const ctx = await contextFor();
  expect(await findTool.preview!({ pattern: "*.ts" }, ctx)).toEqual({
    summary: "*.ts in .",
    display: [{ kind: "text", text: ctx.cwd }],
    paths: [{ path: ctx.cwd, access: "read" }],
    digestParts: [],
  });
});
