import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { ApprovalLevel } from "../../src/agent/approval.ts";
import type { ToolEffect, ToolPreview } from "../../src/agent/tool.ts";
import { decideByPolicy } from "../../src/policy/policy.ts";
import { isProtected } from "../../src/policy/protected-paths.ts";
import { resolveKey } from "../../src/tools/paths.ts";
import { temporaryFolder } from "../tools/support.ts";

let cwd: string;
let outside: string;
let temp: string;
let home: string;

beforeEach(async () => {
  const folder = temporaryFolder();
  cwd = join(folder, "ws");
  outside = join(folder, "ws-evil");
  temp = join(folder, "temp");
  home = join(folder, "tempi-home");
  for (const each of [cwd, outside, temp, home]) await mkdir(each);
});

const levels: ApprovalLevel[] = ["ask", "edits", "auto"];

async function decide(
  level: ApprovalLevel,
  name: string,
  {
    effect = "idempotent" as ToolEffect,
    write = undefined as string | undefined,
    command = undefined as string | undefined,
  } = {},
) {
  const paths: ToolPreview["paths"] =
    write === undefined ? [] : [{ path: await resolveKey(write, cwd), access: "write" }];
  return decideByPolicy({
    tool: { name, effect },
    level,
    preview: { summary: "", display: [], paths, digestParts: [] },
    ...(command === undefined ? {} : { command }),
    cwd,
    tempFolder: temp,
    tempiFolders: [home],
  });
}

const allow = { kind: "allow" };

describe("levels", () => {
  test.each(levels)("%s: reading never asks, not even outside", async (level) => {
    for (const name of ["read", "grep", "find", "ls"]) {
      expect(await decide(level, name, { effect: "read" })).toEqual(allow);
    }
  });

  test.each(levels)("%s: a read-only command never asks", async (level) => {
    expect(await decide(level, "bash", { effect: "external", command: "ls -la" })).toEqual(allow);
  });

  test("other commands ask, but not at auto", async () => {
    const bash = (level: ApprovalLevel) => decide(level, "bash", { effect: "external", command: "ls; touch x" });
    expect(await bash("ask")).toEqual({ kind: "ask", reason: "not-read-only" });
    expect(await bash("edits")).toEqual({ kind: "ask", reason: "not-read-only" });
    expect(await bash("auto")).toEqual(allow);
  });

  test.each(["edit", "write"])("%s in the workspace and the temp folder asks at ask only", async (name) => {
    for (const write of ["src/a.ts", join(temp, "x")]) {
      expect(await decide("ask", name, { write })).toEqual({ kind: "ask", reason: "level" });
      expect(await decide("edits", name, { write })).toEqual(allow);
      expect(await decide("auto", name, { write })).toEqual(allow);
    }
  });

  test("other tools ask at ask and edits, whatever they say of themselves (A10)", async () => {
    for (const effect of ["read", "idempotent", "external"] as const) {
      expect(await decide("ask", "deploy", { effect })).toEqual({ kind: "ask", reason: "level" });
      expect(await decide("edits", "deploy", { effect })).toEqual({ kind: "ask", reason: "level" });
      expect(await decide("auto", "deploy", { effect })).toEqual(allow);
    }
    expect((await decide("edits", "read", { effect: "external" })).kind).toBe("ask");
  });

  test.each(levels)("%s: a write outside asks and names the real place (P01, P02, P06)", async (level) => {
    await symlink(outside, join(cwd, "l"));
    await symlink(join(outside, "later"), join(cwd, "dangling"));
    const spellings = [
      join(outside, "x"),
      "l/x",
      "l/new/x",
      "dangling",
      "../ws-evil/x",
      `file://${outside}/x`,
      "~/tempi-test-x",
      `@${outside}/x`,
    ];
    for (const write of spellings) {
      const decision = await decide(level, "write", { write });
      expect(decision).toEqual({ kind: "ask", reason: "outside-workspace", detail: await resolveKey(write, cwd) });
    }
    expect((await decide("edits", "write", { write: "..%2fx" })).kind).toBe("allow");
  });

  test.each(levels)("%s: a protected file asks", async (level) => {
    for (const write of [".git/hooks/pre-commit", ".mcp.json", join(home, "config.toml")]) {
      const decision = await decide(level, "edit", { write });
      expect(decision).toMatchObject({ kind: "ask", reason: "protected-file" });
    }
  });
});

describe("protected (C05, P04, P05)", () => {
  test.each([
    ".git/config",
    ".git/hooks/x",
    ".git",
    "sub/.git/HEAD",
    "./.git//config",
    ".git/./hooks/x",
    ".GIT/config",
    ".git/hooks/",
    "a/../.git/config",
    ".g\u200Cit/config",
    ".git./config",
    ".tempi/config.toml",
    ".TEMPI/x",
    ".mcp.json",
    ".MCP.json",
    ".mcp.json/",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".bashrc",
    "dotfiles/.zshrc",
    ".profile",
    ".ssh/authorized_keys",
  ])("%s, though it does not exist", async (path) => {
    expect(await isProtected(path, cwd, [])).toBe(true);
  });

  test.each([
    "src/a.ts",
    ".gitignore",
    ".github/workflows/x.yml",
    "git/config",
    "AGENTS.md",
    "mcp.json",
    ".env",
    "a.git/x",
  ])("%s is not", async (path) => {
    expect(await isProtected(path, cwd, [])).toBe(false);
  });

  test("links to and from protected places", async () => {
    await mkdir(join(cwd, ".git"));
    await symlink(".git", join(cwd, "g"));
    await symlink(join(cwd, ".git/config"), join(cwd, "dangling"));
    await symlink(home, join(cwd, "h"));
    await writeFile(join(home, "real"), "");
    for (const path of ["g/config", "g", "dangling", "h/real", "h/new"]) {
      expect(await isProtected(path, cwd, [home])).toBe(true);
    }
  });

  test("tempi's own folders and files, and ~/.ssh, by any spelling", async () => {
    const folders = [home, join(outside, "config.toml"), join(homedir(), ".ssh")];
    for (const path of [
      home,
      `${home}/x/y`,
      home.toUpperCase(),
      `${outside}/CONFIG.toml`,
      join(homedir(), ".ssh/id"),
    ]) {
      expect(await isProtected(path, cwd, folders)).toBe(true);
    }
    for (const path of [`${home}-2/x`, `${outside}/config.toml.bak`]) {
      expect(await isProtected(path, cwd, folders)).toBe(false);
    }
  });
});
