// Probes P01–P09 of the shared list that the tests of the single tools do not hold yet.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentTool, ToolContext } from "../../src/agent/tool.ts";
import { homeOf, prepareHome } from "../../src/config/home.ts";
import { socketPathOf } from "../../src/config/socket-path.ts";
import { isTrusted, setTrust } from "../../src/config/trust.ts";
import { decideByPolicy } from "../../src/policy/policy.ts";
import { isProtected } from "../../src/policy/protected-paths.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { builtInTools } from "../../src/tools/index.ts";
import { folderHash, workspaceExtensions } from "../../src/worker/extensions/discover.ts";
import { toolsetOf } from "../../src/worker/extensions/toolset.ts";
import { fakeModel, TestSessions, toolCall } from "../support/sessions.ts";
import { contextFor, temporaryFolder } from "../tools/support.ts";

const levels = ["ask", "edits", "auto"] as const;
const once = (...calls: ReturnType<typeof toolCall>[]) => fakeModel((turn) => (turn === 1 ? calls : "done"));
const write = (path: string) => toolCall("write", { path, content: "x" });
const outsideOf = (sessions: TestSessions, name: string): string => {
  const folder = join(dirname(sessions.workspace), name);
  mkdirSync(folder);
  return folder;
};

describe("a write that leaves the workspace, through the workflow, at level auto", () => {
  test("asks and shows the real place: a name with the same beginning, a link, a dangling link (P01, P02)", async () => {
    const paths = ["../workspace-evil/x", "l/x", "dangling"];
    const sessions = await TestSessions.start(once(...paths.map(write)));
    const outside = outsideOf(sessions, "workspace-evil");
    // The temporary folder needs no more leave than the workspace, and all of this test is in it.
    vi.stubEnv("TMPDIR", outsideOf(sessions, "temporary"));
    onTestFinished(() => void vi.unstubAllEnvs());
    symlinkSync(outside, join(sessions.workspace, "l"));
    symlinkSync(join(outside, "later"), join(sessions.workspace, "dangling"));
    const id = await sessions.run("go", { approval: "auto" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    expect(pending.map(({ reason, reasonDetail }) => [reason, reasonDetail])).toEqual(
      [join(outside, "x"), join(outside, "x"), join(outside, "later")].map((real) => ["outside-workspace", real]),
    );
    for (const { display, summary } of pending) expect(JSON.stringify([display, summary])).toContain(outside);
    for (const { id: approvalId } of pending)
      await sessions.client.decide(id, { approvalId, decision: "deny", by: "me" });
    await sessions.untilState(id, "idle");
    expect(readdirSync(outside)).toEqual([]);
  });

  test("reading through a link names the real place, to the person and to the model (P02)", async () => {
    const ctx = await contextFor();
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret"), "hit\n");
    symlinkSync(outside, join(ctx.cwd, "l"));
    for (const [name, args] of [
      ["read", { path: "l/secret" }],
      ["grep", { pattern: "hit", path: "l/secret" }],
      ["find", { pattern: "*", path: "l" }],
      ["ls", { path: "l" }],
    ] as const) {
      const preview = await toolNamed(name).preview!(args, ctx);
      expect(preview.paths[0]).toMatchObject({ access: "read" });
      expect(preview.paths[0]!.path.startsWith(outside), name).toBe(true);
      expect(preview.summary, name).toContain(outside);
    }
  });
});

describe("a protected file that does not exist yet (P04)", () => {
  const hidden = [".tempi/config.toml", ".git/hooks/pre-commit"];

  test("asks at level auto when write makes it, and nothing was made before", async () => {
    const sessions = await TestSessions.start(once(...hidden.map(write)));
    const id = await sessions.run("go", { approval: "auto" });
    await sessions.untilState(id, "waiting");
    expect((await sessions.client.state(id)).pending.map(({ reason }) => reason)).toEqual(
      hidden.map(() => "protected-file"),
    );
    expect(readdirSync(sessions.workspace)).toEqual([]);
  });

  test.each([
    "mkdir -p .tempi && echo x > .tempi/config.toml",
    "mkdir -p .git/hooks; cp x .git/hooks/pre-commit",
    "tee .tempi/config.toml",
    "ln -s .git/hooks h",
    "cat x > .tempi/config.toml",
    "ls > .git/hooks/x",
    "head x >.mcp.json",
    "cat $(echo x > .git/hooks/x)",
  ])("asks at levels ask and edits when bash makes it: %s", async (command) => {
    const ctx = await contextFor();
    for (const level of ["ask", "edits"] as const) {
      const preview = { summary: "", display: [], paths: [], digestParts: [] };
      const tool = { name: "bash", effect: "external" as const };
      const place = { cwd: ctx.cwd, tempFolder: join(ctx.cwd, "../t"), tempiFolders: [] };
      expect(await decideByPolicy({ tool, level, preview, command, ...place })).toEqual({
        kind: "ask",
        reason: "not-read-only",
      });
    }
  });
});

test.each([
  ".TEMPI/settings.json",
  "./.git//config",
  ".git/./hooks/x",
  ".git/hooks/x/",
  "a/../.GIT/hooks/x",
  "sub/.Git/config",
  ".vscode//./tasks.json",
])("%s is protected whatever tool writes it, at every level (P05)", async (path) => {
  const ctx = await contextFor();
  for (const level of levels) {
    for (const name of ["write", "edit"]) {
      const preview = { summary: "", display: [], paths: [{ path: join(ctx.cwd, path), access: "write" as const }] };
      const tool = { name, effect: "idempotent" as const };
      const place = { cwd: ctx.cwd, tempFolder: ctx.cwd, tempiFolders: [] };
      const input = { tool, level, preview: { ...preview, digestParts: [] }, ...place };
      expect(await decideByPolicy(input), level).toMatchObject({ kind: "ask", reason: "protected-file" });
    }
  }
});

const toolNamed = (name: string) =>
  builtInTools().find((tool) => tool.name === name) as unknown as Pick<AgentTool, "name"> & {
    preview?: (
      args: object,
      ctx: ToolContext,
    ) => Promise<{ summary: string; paths: { path: string; access: string }[] }>;
  };

describe.each(["read", "grep", "find", "ls", "write", "edit"])(
  "%s judges the same place as every other tool (P06)",
  (name) => {
    const argumentsOf = (path: string): object =>
      ({
        grep: { pattern: "x", path },
        find: { pattern: "x", path },
        write: { path, content: "y" },
        edit: { path, edits: [{ oldText: "x", newText: "y" }] },
      })[name] ?? { path };

    test("absolute, ~, file://, @, .. and a link lead to one place; ..%2f leads nowhere", async () => {
      const ctx = await contextFor();
      const outside = temporaryFolder();
      writeFileSync(join(outside, "f"), "x\n");
      symlinkSync(outside, join(ctx.cwd, "l"));
      const target = join(outside, "f");
      const up = `${"../".repeat(ctx.cwd.split("/").length)}${target.slice(1)}`;
      for (const path of [target, pathToFileURL(target).href, `@${target}`, up, "l/f", "./l/../l//f"]) {
        const { paths } = await toolNamed(name).preview!(argumentsOf(path), ctx);
        expect(
          paths.map((one) => one.path),
          path,
        ).toEqual([target]);
      }
      // A home of its own: `~` of edit needs the file to be there.
      vi.stubEnv("HOME", outside);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(homedir()).toBe(outside);
      expect((await toolNamed(name).preview!(argumentsOf("~/f"), ctx)).paths[0]!.path).toBe(target);
      const encoded = "..%2ff";
      writeFileSync(join(ctx.cwd, encoded), "x\n");
      expect((await toolNamed(name).preview!(argumentsOf(encoded), ctx)).paths[0]!.path).toBe(join(ctx.cwd, encoded));
      await expect(toolNamed(name).preview!(argumentsOf("file:///a%2fb"), ctx)).rejects.toThrow(
        "Not a path of this machine",
      );
    });
  },
);

describe("files of tempi itself (P07)", () => {
  test("those of a call are the user's alone, in folders of the user alone", async () => {
    const sessions = await TestSessions.start(once(toolCall("bash", { command: "echo hi" }), write("made")));
    const id = await sessions.run("go");
    await sessions.untilState(id, "idle");
    const entries = readdirSync(sessions.home.calls, { recursive: true, withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    expect(folders.length).toBeGreaterThanOrEqual(4);
    for (const { parentPath, name } of folders) expect(statSync(join(parentPath, name)).mode & 0o777, name).toBe(0o700);
    const output = entries.find((entry) => entry.name === "output")!;
    expect(statSync(join(output.parentPath, output.name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(sessions.workspace)).toEqual(["made"]);
  });

  test("a planted link is not followed: temporary names are random, and a spool that is there is no spool", async () => {
    const ctx = await contextFor();
    const victim = join(temporaryFolder(), "victim");
    writeFileSync(victim, "precious");
    symlinkSync(victim, join(ctx.callFolder, "output"));
    const run = bashTool.execute("id", { command: "echo gone" }, new AbortController().signal, () => {}, ctx);
    await expect(run).rejects.toThrow();
    expect(readFileSync(victim, "utf8")).toBe("precious");
    const { temporaryNameFor } = await import("../../src/tools/durable-write.ts");
    expect(new Set(Array.from({ length: 100 }, temporaryNameFor)).size).toBe(100);
  });

  test("a socket's folder under the temporary folder must be ours alone: no link, no folder open to others", async () => {
    const folder = temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const home = homeOf({ TEMPI_HOME: join(folder, "long".repeat(30)) });
    const path = socketPathOf(home, "live.sock");
    const own = dirname(path);
    expect(lstatSync(own).mode & 0o777).toBe(0o700);
    chmodSync(own, 0o777);
    expect(() => socketPathOf(home, "live.sock")).toThrow("not a folder of yours alone");
    rmSync(own, { recursive: true });
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, own);
    expect(() => socketPathOf(home, "live.sock")).toThrow("not a folder of yours alone");
  });
});

test("trust is a folder's own: neither .git files, commondir nor equal content bring that of another (P08)", async () => {
  const folder = temporaryFolder();
  const home = homeOf({ TEMPI_HOME: join(folder, "home") });
  prepareHome(home);
  const [trusted, evil] = [join(folder, "trusted"), join(folder, "evil")];
  for (const workspace of [trusted, evil]) {
    mkdirSync(workspaceExtensions(workspace), { recursive: true });
    writeFileSync(join(workspaceExtensions(workspace), "x.mjs"), `globalThis.ran = true; export default () => {};`);
  }
  mkdirSync(join(trusted, ".git"));
  const hash = (await folderHash(workspaceExtensions(trusted)))!;
  expect(await folderHash(workspaceExtensions(evil))).toBe(hash);
  setTrust(home, workspaceExtensions(trusted), hash);
  for (const spelling of [workspaceExtensions(evil), evil]) {
    writeFileSync(join(evil, ".git"), `gitdir: ${trusted}/.git\n`);
    writeFileSync(join(evil, "commondir"), `${trusted}/.git\n`);
    expect(isTrusted(home, spelling, hash)).toBe(false);
  }
  expect((await toolsetOf(home, evil, [])).faults).toEqual([expect.stringMatching(/not trusted/)]);
  expect((globalThis as { ran?: boolean }).ran).toBeUndefined();
  // A worktree's `.git` is a file: it is protected like the folder.
  expect(await isProtected(".git", evil, [])).toBe(true);
  expect(statSync(join(home.root, "trust.json")).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.root).filter((name) => name.startsWith("trust.json."))).toEqual([]);
});
