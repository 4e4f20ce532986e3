import { existsSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Static } from "@sinclair/typebox";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { createGrepTool, grepTool } from "../../src/tools/grep.ts";
import { runRipgrep } from "../../src/tools/ripgrep.ts";
import { unprivileged } from "../support/unprivileged.ts";
import { addFiles, addRawName, repositoryWith, ripgrepForAll } from "./search-support.ts";
import { contextFor, runTool, temporaryFolder } from "./support.ts";

type GrepParameters = Static<typeof grepTool.parameters>;

const grep = async (ctx: ToolContext, params: GrepParameters) => (await runTool(grepTool, params, ctx)).text;

afterEach(() => vi.unstubAllEnvs());

describe("grep: what it shows (8.27)", () => {
  test("path:line: text, sorted by path; hidden files yes, .git and ignored ones no", async () => {
    const ctx = await repositoryWith({
      ".gitignore": "node_modules/\n*.log\n[z-a\n",
      "src/b.ts": "one\nhit two\n",
      "src/a.ts": "hit\n\thit  \n",
      ".github/w.yml": "hit\n",
      "node_modules/x/i.js": "hit\n",
      "a.log": "hit\n",
      ".git/hit.txt": "hit\n",
      "sub/.git/config": "hit\n",
    });
    expect(await grep(ctx, { pattern: "hit" })).toBe(
      ".github/w.yml:1: hit\nsrc/a.ts:1: hit\nsrc/a.ts:2: \thit  \nsrc/b.ts:2: hit two",
    );
    expect(await grep(ctx, { pattern: "hit", path: "node_modules" })).toBe("node_modules/x/i.js:1: hit");
    expect(await grep(ctx, { pattern: "hit", path: "a.log" })).toBe("a.log:1: hit");
    expect(await grep(ctx, { pattern: "hit", path: "src/b.ts" })).toBe("src/b.ts:2: hit two");
  });

  test("git's ignore rules count before git init too", async () => {
    const ctx = await contextFor();
    await addFiles(ctx, { ".gitignore": "dist/\n", "dist/a": "hit\n", b: "hit\n" });
    expect(await grep(ctx, { pattern: "hit" })).toBe("b:1: hit");
  });

  test("context lines, with -- between groups", async () => {
    const ctx = await repositoryWith({ f: "a\nhit\nb\nc\nd\nhit\ne\n", g: "hit\n" });
    expect(await grep(ctx, { pattern: "hit", context: 1 })).toBe(
      "f-1- a\nf:2: hit\nf-3- b\n--\nf-5- d\nf:6: hit\nf-7- e\n--\ng:1: hit",
    );
    expect(await grep(ctx, { pattern: "hit", context: 1, limit: 1 })).toBe(
      "f-1- a\nf:2: hit\nf-3- b\n\n[1 matches shown, more exist. Use limit=2 or a narrower pattern.]",
    );
    expect(await grep(ctx, { pattern: "hit", context: -5, path: "g" })).toBe("g:1: hit");
  });

  test("100 matches; the note stands only if one more exists", async () => {
    const ctx = await repositoryWith({ f: "hit\n".repeat(100) });
    const exact = await runTool(grepTool, { pattern: "hit" }, ctx);
    expect(exact.text.split("\n")).toHaveLength(100);
    expect(exact.details).toEqual({ path: ctx.cwd, matches: 100, truncated: false });
    await writeFile(join(ctx.cwd, "g"), "hit\n");
    const more = await runTool(grepTool, { pattern: "hit" }, ctx);
    expect(more.text).toMatch(/f:100: hit\n\n\[100 matches shown, more exist\. Use limit=200/);
    expect(more.details).toMatchObject({ matches: 100, truncated: true });
    expect(await grep(ctx, { pattern: "hit", limit: 0 })).toContain("f:1: hit\n\n[1 matches shown");
  });

  test("50 KB", async () => {
    const ctx = await repositoryWith({ f: `${"x".repeat(400)}hit\n`.repeat(1000) });
    const text = await grep(ctx, { pattern: "hit", limit: 1000 });
    expect(Buffer.byteLength(text)).toBeLessThan(51_400);
    expect(text).toContain("[50 KB shown, more matches exist.");
  });

  test("lines are cut at 500 characters, with the match in sight", async () => {
    const ctx = await repositoryWith({
      a: `${"a".repeat(500)}\n`,
      b: `a${"b".repeat(600)}\n`,
      c: `${"c".repeat(3000)}😀hit${"c".repeat(600)}\n`,
    });
    expect(await grep(ctx, { pattern: "a", path: "a" })).toBe(`a:1: ${"a".repeat(500)}`);
    expect(await grep(ctx, { pattern: "a", path: "b" })).toBe(
      `b:1: a${"b".repeat(499)}…\n\n[Lines longer than 500 characters are cut (…).]`,
    );
    const text = await grep(ctx, { pattern: "hit", path: "c" });
    expect(text).toContain(`c:1: …${"c".repeat(98)}😀hit${"c".repeat(397)}…`);
  });

  test("no match is an answer, not an error", async () => {
    const ctx = await repositoryWith({ f: "a\n" });
    const result = await runTool(grepTool, { pattern: "zz", glob: "*.ts" }, ctx);
    expect(result.isError).toBe(false);
    expect(result.text).toContain('[No match for "zz" in files "*.ts" in .. What git ignores');
  });

  test("ignoreCase and literal", async () => {
    const ctx = await repositoryWith({ f: "Hit(\nhit(\n", crlf: "end\r\n" });
    expect(await grep(ctx, { pattern: "hit(", literal: true })).toBe("f:2: hit(");
    expect(await grep(ctx, { pattern: "HIT\\(", ignoreCase: true })).toBe("f:1: Hit(\nf:2: hit(");
    expect(await grep(ctx, { pattern: "end$" })).toBe("crlf:1: end");
    expect(await grep(ctx, { pattern: "\\r" })).toBe("crlf:1: end");
  });

  test("glob: by name anywhere, by path, without; it never brings ignored files back", async () => {
    const ctx = await repositoryWith({
      ".gitignore": "*.gen.ts\nnode_modules\n",
      "a.ts": "hit",
      "b.gen.ts": "hit",
      "src/c.ts": "hit",
      "src/deep/d.tsx": "hit",
      "node_modules/e.ts": "hit",
      "pages/[id].ts": "hit",
    });
    const files = async (glob: string, path?: string) =>
      (await grep(ctx, { pattern: "hit", glob, ...(path ? { path } : {}) }))
        .split("\n")
        .map((line) => line.split(":")[0]);
    expect(await files("*.ts")).toEqual(["a.ts", "pages/[id].ts", "src/c.ts"]);
    expect(await files("src/**")).toEqual(["src/c.ts", "src/deep/d.tsx"]);
    expect(await files("src/*.ts")).toEqual(["src/c.ts"]);
    expect(await files("**/*.{ts,tsx}")).toEqual(["a.ts", "pages/[id].ts", "src/c.ts", "src/deep/d.tsx"]);
    expect(await files("deep/*", "src")).toEqual(["src/deep/d.tsx"]);
    expect(await files("!*.ts")).toEqual(["src/deep/d.tsx"]);
    expect(await files("[id].ts")).toEqual(["pages/[id].ts"]);
    expect(await files("*")).toEqual(["a.ts", "pages/[id].ts", "src/c.ts", "src/deep/d.tsx"]);
  });
});

describe("grep: hostile patterns and places", () => {
  test.each(["--files", "-x", "--pre=sh", "--hostname-bin=./h", "-f/etc/passwd", "--"])(
    "%s is a pattern, not a flag (case 52, S11)",
    async (pattern) => {
      const ctx = await repositoryWith({ f: `a ${pattern} b\n`, h: "#!/bin/sh\ntouch planted\n" });
      await chmod(join(ctx.cwd, "h"), 0o755);
      expect(await grep(ctx, { pattern, literal: true, path: "f" })).toBe(`f:1: a ${pattern} b`);
      expect(await grep(ctx, { pattern, glob: pattern })).toContain("No match");
      await expect(grep(ctx, { pattern: "a", path: pattern })).rejects.toThrow("There is no file or folder");
      expect(existsSync(join(ctx.cwd, "planted"))).toBe(false);
    },
  );

  test("a configuration of the user and a planted rg change nothing (case 52, C09)", async () => {
    const ctx = await repositoryWith({ f: "a.c\nabc\n", "node_modules/.bin/rg": "#!/bin/sh\ntouch planted\n" });
    await chmod(join(ctx.cwd, "node_modules/.bin/rg"), 0o755);
    const config = join(temporaryFolder(), "config");
    await writeFile(config, "--fixed-strings\n");
    vi.stubEnv("RIPGREP_CONFIG_PATH", config);
    const bin = join(ctx.cwd, "node_modules/.bin");
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    const environment = { PATH: bin, RIPGREP_CONFIG_PATH: config };
    expect(await grep({ ...ctx, environment }, { pattern: "a.c", path: "f" })).toBe("f:1: a.c\nf:2: abc");
    expect(existsSync(join(ctx.cwd, "planted"))).toBe(false);
  });

  test("(a+)+$ on 1e5 a is quick (B36)", async () => {
    const ctx = await repositoryWith({ f: `${"a".repeat(100_000)}b\n` });
    const start = performance.now();
    expect(await grep(ctx, { pattern: "(a+)+$" })).toContain("No match");
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test.each([
    ["foo(", "unclosed group, at character 4."],
    ["[(]\\)(a)(b", "unclosed group, at character 9."],
    ["a[z-a]", "invalid character class range, the start must be <= the end, at character 3."],
    ["(?=x)", "look-around, including look-ahead and look-behind, is not supported, at character 1."],
    ["a**b)", "unopened group, at character 5."],
    ["a\nb", "one line at a time"],
    ["", "pattern is empty"],
    ["a\0", "NUL"],
    ["x".repeat(200_000), "longer than 100 KB"],
  ])("bad pattern %j: an error with the place (B36)", async (pattern, message) => {
    await expect(grep(await repositoryWith({ f: "a\n" }), { pattern })).rejects.toThrow(message);
  });

  test("binary files are named, not shown; NUL, escapes and bytes that are not UTF-8 are harmless (F21)", async () => {
    const ctx = await repositoryWith({
      "b.bin": Buffer.from("hit\0\0\x1b[2J\n"),
      "late.bin": Buffer.concat([Buffer.from("hit\n".repeat(50_000)), Buffer.alloc(10)]),
      "latin.txt": Buffer.from("hit caf\xe9\n", "latin1"),
      "ansi.txt": "hit \x1b[31mred\x1b[0m\n",
      "wide.txt": Buffer.from("\uFEFFhit ü\n", "utf16le"),
    });
    expect(await grep(ctx, { pattern: "hit", path: "late.bin", limit: 10 })).toContain(
      "late.bin:10: hit\n\n[10 matches",
    );
    await rm(join(ctx.cwd, "late.bin"));
    const text = await grep(ctx, { pattern: "hit" });
    expect(text).toContain("ansi.txt:1: hit \\u001b[31mred\\u001b[0m");
    expect(text).toContain("latin.txt:1: hit caf\uFFFD");
    expect(text).toContain("wide.txt:1: hit ü");
    expect(text).not.toContain("b.bin");
    expect(await grep(ctx, { pattern: "hit", path: "b.bin" })).toBe("b.bin: binary file, a match not shown");
  });

  test("odd names: escaped on one line each (B34, B35)", async () => {
    const ctx = await repositoryWith({
      "a\nb:1: forged": "hit\n",
      "-x": "hit\n",
      'it\'s "😀"': "hit\n",
      ["n".repeat(255)]: "hit\n",
    });
    await addRawName(ctx, Buffer.from("raw\xe9", "latin1"), "hit\n");
    const lines = (await grep(ctx, { pattern: "hit" })).split("\n");
    expect(lines).toEqual([
      "-x:1: hit",
      "a\\nb:1: forged:1: hit",
      'it\'s "😀":1: hit',
      `${"n".repeat(255)}:1: hit`,
      "raw\\xE9:1: hit",
    ]);
    expect(await grep(ctx, { pattern: "hit", path: "-x" })).toBe("-x:1: hit");
  });

  test("lines and records of many megabytes are read with bounded memory", async () => {
    const ctx = await repositoryWith({ f: `short\n${'é"\\'.repeat(1_500_000)}hit\n`, g: `${"a".repeat(1_000_000)}\n` });
    const long = await grep(ctx, { pattern: "hit" });
    expect(long).toContain(`f:2: ${'é"\\'.repeat(166)}`);
    expect(long.length).toBeLessThan(700);
    expect(await grep(ctx, { pattern: "a", path: "g" })).toContain(`g:1: ${"a".repeat(500)}…`);
  });

  test("every spelling of a path is understood as by the other tools (P06)", async () => {
    const ctx = await repositoryWith({ "d/f": "hit\n" });
    const folder = join(ctx.cwd, "d");
    await symlink(folder, join(ctx.cwd, "l"));
    for (const path of ["d", "@d", "./d/", folder, pathToFileURL(folder).href, "l"]) {
      expect(await grep(ctx, { pattern: "hit", path })).toBe("d/f:1: hit");
    }
    await expect(grep(ctx, { pattern: "hit", path: "..%2fd" })).rejects.toThrow("There is no file or folder ..%2fd");
    await expect(grep(ctx, { pattern: "hit", path: "~/tempi-missing" })).rejects.toThrow(`${homedir()}/tempi-missing`);
    await expect(grep(ctx, { pattern: "hit", path: "file:///a%2fb" })).rejects.toThrow("Not a path of this machine");
    await expect(grep(ctx, { pattern: "hit", path: "/dev/zero" })).rejects.toThrow("device");
    const outside = temporaryFolder();
    await writeFile(join(outside, "o"), "hit\n");
    expect(await grep(ctx, { pattern: "hit", path: outside })).toBe(`${join(outside, "o")}:1: hit`);
  });

  test("unreadable files are said, a folder without leave is an error", async () => {
    const ctx = await repositoryWith({ open: "hit\n", closed: "hit\n" });
    await mkdir(join(ctx.cwd, "locked"));
    await chmod(join(ctx.cwd, "closed"), 0);
    const tool = createGrepTool(60_000, await ripgrepForAll());
    await unprivileged([dirname(ctx.cwd)], async () => {
      const { text } = await runTool(tool, { pattern: "hit" }, ctx);
      expect(text).toBe("open:1: hit\n\n[Some files could not be read.]");
      await chmod(join(ctx.cwd, "locked"), 0);
      await expect(grep(ctx, { pattern: "hit", path: "locked" })).rejects.toThrow("No permission for locked (EACCES)");
    });
  });
});

describe("grep: time", () => {
  test("a timeout ends the process and says so", async () => {
    const ctx = await repositoryWith({ f: "x\n".repeat(2_000_000) });
    const { text, details } = await runTool(createGrepTool(0), { pattern: "hit" }, ctx);
    expect(text).toContain("[Stopped after 0 s: there may be more.");
    expect(details).toMatchObject({ truncated: true });
  });

  test("an abort kills the process and ends with the signal's reason", async () => {
    const ctx = await repositoryWith({ f: "x\n".repeat(2_000_000) });
    const controller = new AbortController();
    let calls = 0;
    const onData = () => {
      calls += 1;
      controller.abort(new Error("stop"));
      return true;
    };
    const search = { arguments: ["--json", "-e", "x", "--", "./"], cwd: ctx.cwd, environment: {}, timeoutMs: 60_000 };
    await expect(runRipgrep({ ...search, onData }, controller.signal)).rejects.toThrow("stop");
    expect(calls).toBe(1);
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(runTool(grepTool, { pattern: "x" }, ctx, { signal })).rejects.toThrow("stop");
  });

  test("what goes wrong with the output ends it too", async () => {
    const ctx = await repositoryWith({ f: "x\n" });
    const search = { arguments: ["--files", "--", "./"], cwd: ctx.cwd, environment: {}, timeoutMs: 60_000 };
    const onData = () => {
      throw new Error("broken");
    };
    await expect(runRipgrep({ ...search, onData }, new AbortController().signal)).rejects.toThrow("broken");
  });
});

test("preview: pattern in path, and the real path to read", async () => {
  const ctx = await contextFor();
  expect(await grepTool.preview!({ pattern: "a\nb", path: "later" }, ctx)).toEqual({
    summary: "a\\nb in later",
    display: [{ kind: "text", text: join(ctx.cwd, "later") }],
    paths: [{ path: join(ctx.cwd, "later"), access: "read" }],
    digestParts: [],
  });
});
