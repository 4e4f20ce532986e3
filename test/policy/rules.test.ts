// Rules against calls: levels, files, repositories, deadlines, scripts that changed.
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ApprovalLevel } from "../../src/agent/approval.ts";
import type { Rule } from "../../src/agent/rule.ts";
import { decideByPolicy, type PolicyInput } from "../../src/policy/policy.ts";
import { prefixCovers } from "../../src/policy/prefix-limits.ts";
import { projectRuleOf } from "../../src/policy/project-rule.ts";
import { scriptParts } from "../../src/policy/scripts.ts";
import { resolveKey } from "../../src/tools/paths.ts";
import { temporaryFolder } from "../tools/support.ts";
import { rulesOf } from "./command-probes.ts";

const levels: ApprovalLevel[] = ["ask", "edits", "auto"];
let cwd: string;
let outside: string;
let temp: string;

beforeEach(() => {
  const folder = temporaryFolder();
  [cwd, outside, temp] = ["workspace", "outside", "temp"].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [join(cwd, "src"), outside, temp]) mkdirSync(each, { recursive: true });
});

const rule = (fields: Partial<Rule> & Pick<Rule, "decision" | "tool">): Rule => ({
  match: [],
  notMatch: [],
  origin: { kind: "user", file: "/config.toml", number: 1 },
  ...fields,
});

interface Call {
  name: string;
  command?: string;
  write?: string;
  read?: string;
  level?: ApprovalLevel;
  extension?: boolean;
  startedAt?: number;
  fault?: string;
  repository?: string;
}

async function inputOf(rules: Rule[], call: Call): Promise<PolicyInput> {
  const { name, command, write, read, fault } = call;
  const paths: PolicyInput["preview"]["paths"] = [];
  if (write !== undefined) paths.push({ path: await resolveKey(write, cwd), access: "write" });
  if (read !== undefined) paths.push({ path: await resolveKey(read, cwd), access: "read" });
  return {
    tool: { name, effect: read === undefined ? "external" : "read" },
    ofExtension: call.extension ?? false,
    level: call.level ?? "ask",
    preview: { summary: "", display: [], paths, digestParts: [] },
    ...(command === undefined ? {} : { command }),
    cwd,
    tempFolder: temp,
    tempiFolders: [join(cwd, "..", "home")],
    searchPath: `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`,
    rules: { rules, repository: call.repository ?? cwd, ...(fault === undefined ? {} : { fault }) },
    startedAt: call.startedAt ?? Date.now() + 60_000,
  };
}

const decide = async (rules: Rule[], call: Call) => decideByPolicy(await inputOf(rules, call));
const allow = { kind: "allow" };

describe("deny beats ask beats allow, whatever the order and the level", () => {
  const [yes, ask, no] = [...rulesOf("allow", "ls *"), ...rulesOf("ask", "ls -a *"), ...rulesOf("deny", "ls -a -b *")];
  test.each(levels)("%s", async (level) => {
    for (const rules of [
      [yes!, ask!, no!],
      [no!, ask!, yes!],
    ]) {
      expect(await decide(rules, { name: "bash", command: "ls /", level })).toEqual(allow);
      expect(await decide(rules, { name: "bash", command: "ls -a /", level })).toMatchObject({
        kind: "ask",
        reason: "rule",
      });
      expect(await decide(rules, { name: "bash", command: "ls -a -b /", level })).toMatchObject({ kind: "deny" });
      expect((await decide(rules, { name: "bash", command: "ls / && ls -a -b", level })).kind).toBe("deny");
    }
  });

  test("the reason of a rule is told, the shortest deadline counts", async () => {
    const rules = [
      rule({ decision: "ask", tool: "bash", command: "npm publish *", reason: "Is it tagged?", deadlineMs: 7_200_000 }),
      rule({ decision: "ask", tool: "*", deadlineMs: 60_000 }),
    ];
    const asked = { kind: "ask", reason: "rule", detail: "Is it tagged?", deadlineMs: 60_000 };
    expect(await decide(rules, { name: "bash", command: "npm publish", level: "auto" })).toEqual(asked);
    const denied = await decide([rule({ decision: "deny", tool: "deploy", reason: "not from here\u001b" })], {
      name: "deploy",
    });
    expect(denied).toMatchObject({ text: expect.stringContaining("denies this: not from here\\u001b. Do not") });
  });

  test("a rule of a repository says that it is one", async () => {
    const origin = { kind: "project" as const, file: "/w/.tempi/config.toml", number: 1 };
    const denied = await decide([rule({ decision: "deny", tool: "bash", origin })], { name: "bash", command: "ls" });
    expect(denied).toMatchObject({ text: expect.stringContaining("(a rule of this repository)") });
  });
});

describe("files", () => {
  const source = rule({ decision: "allow", tool: "edit", path: "src/**" });

  test("a glob is relative to the workspace and judged by the real path", async () => {
    symlinkSync(outside, join(cwd, "src", "out"));
    expect(await decide([source], { name: "edit", write: "src/deep/.a.ts" })).toEqual(allow);
    expect(await decide([source], { name: "edit", write: "src/../src/a.ts" })).toEqual(allow);
    expect(await decide([source], { name: "edit", write: "a.ts" })).toMatchObject({ reason: "level" });
    expect(await decide([source], { name: "write", write: "src/a.ts" })).toMatchObject({ reason: "level" });
    expect(await decide([source], { name: "edit", write: "src/out/x" })).toMatchObject({ reason: "outside-workspace" });
  });

  test("an absolute pattern may allow outside, no rule allows a protected file", async () => {
    const rules = [
      rule({ decision: "allow", tool: "write", path: `${outside}/**` }),
      rule({ decision: "allow", tool: "*" }),
    ];
    expect(await decide(rules, { name: "write", write: join(outside, "x") })).toEqual(allow);
    expect(await decide(rules, { name: "write", write: `${outside}-evil/x` })).toMatchObject({
      reason: "outside-workspace",
    });
    for (const level of levels) {
      for (const write of [".git/hooks/x", join(outside, ".git/config"), join(cwd, "../home/rules.toml")]) {
        expect(await decide(rules, { name: "write", write, level })).toMatchObject({ reason: "protected-file" });
      }
    }
  });

  test("deny and ask hold for tools that read too, in any case of letters", async () => {
    const rules = [rule({ decision: "deny", tool: "*", path: "**/.env" })];
    for (const read of [".env", "src/.env", "src/.ENV"]) {
      expect(await decide(rules, { name: "read", read, level: "auto" }), read).toMatchObject({ kind: "deny" });
    }
    expect(await decide(rules, { name: "read", read: ".env.example" })).toEqual(allow);
    expect(
      await decide([rule({ decision: "ask", tool: "read", path: "~/**" })], { name: "read", read: "~/x" }),
    ).toMatchObject({
      reason: "rule",
    });
  });

  test("a rule of a repository counts only there, and its paths begin there", async () => {
    const rules = [rule({ decision: "allow", tool: "edit", path: "workspace/src/a.ts", repository: dirname(cwd) })];
    const call = { name: "edit", write: "src/a.ts" };
    expect(await decide(rules, { ...call, repository: dirname(cwd) })).toEqual(allow);
    expect((await decide(rules, call)).kind).toBe("ask");
  });
});

test("a tool of an extension is not what its name or its effect says (A10)", async () => {
  const rules = [...rulesOf("allow", "ls *"), rule({ decision: "allow", tool: "read", path: "**" })];
  const call = { extension: true, level: "edits" } as const;
  expect(await decide(rules, { name: "read", read: "a", ...call })).toEqual({ kind: "ask", reason: "level" });
  expect(await decide(rules, { name: "bash", command: "ls", ...call })).toEqual({ kind: "ask", reason: "level" });
  const named = [rule({ decision: "allow", tool: "deploy" })];
  expect(await decide(named, { name: "deploy", ...call })).toEqual(allow);
});

test.each(levels)("rules that cannot be read: at %s only what reads runs unasked", async (level) => {
  const fault = "config.toml:1: wrong";
  const asked = { kind: "ask", reason: "rule", detail: `the rules cannot be read: ${fault}` };
  expect(await decide([], { name: "bash", command: "touch x", level, fault })).toEqual(asked);
  expect(await decide([], { name: "write", write: "x", level, fault })).toEqual(asked);
  expect(await decide([], { name: "bash", command: "ls", level, fault })).toEqual(allow);
  expect(await decide([], { name: "read", read: "x", level, fault })).toEqual(allow);
});

describe("scripts that changed (S19)", () => {
  const lines = ["npm test", "make", "./x.sh", "bash x.sh", "node x.js", "python3 -m mod"];
  beforeEach(() => {
    for (const name of ["package.json", "Makefile", "x.sh", "x.js", "mod.py"]) {
      writeFileSync(join(cwd, name), "{}", { mode: 0o755 });
    }
  });

  test.each(lines)("%s asks once what it runs was changed after the session began", async (command) => {
    const rules = rulesOf("allow", command);
    const call = { name: "bash", command };
    expect(await decide(rules, call)).toEqual(allow);
    const changed = await decide(rules, { ...call, startedAt: Date.now() - 60_000 });
    expect(changed).toMatchObject({ kind: "ask", reason: "changed-script", detail: expect.stringContaining(cwd) });
    expect(await decide(rules, { ...call, startedAt: Date.now() - 60_000, level: "auto" })).toEqual(allow);
  });

  test.each([...lines, "timeout 5 npm test", "cd src && npm test", "npm --prefix=src test"])(
    "%s is another thing for digest and memory with another script",
    async (command) => {
      writeFileSync(join(cwd, "src/package.json"), "{}");
      const before = await scriptParts(command, cwd);
      expect(await scriptParts(command, cwd)).toEqual(before);
      for (const name of ["package.json", "src/package.json", "Makefile", "x.sh", "x.js", "mod.py"]) {
        writeFileSync(join(cwd, name), '{"a":1}');
      }
      expect(await scriptParts(command, cwd)).not.toEqual(before);
    },
  );

  test("a link that points elsewhere now is another script", async () => {
    writeFileSync(join(cwd, "old.sh"), "old");
    symlinkSync("old.sh", join(cwd, "link.sh"));
    const startedAt = statSync(join(cwd, "old.sh")).ctimeMs + 1;
    await vi.waitUntil(() => Date.now() > startedAt + 20);
    rmSync(join(cwd, "link.sh"));
    symlinkSync("old.sh", join(cwd, "link.sh"));
    const call = { name: "bash", command: "bash link.sh", startedAt };
    expect(await decide(rulesOf("allow", "bash old.sh"), { ...call, command: "bash old.sh" })).toEqual(allow);
    expect(await decide(rulesOf("allow", "bash link.sh"), call)).toMatchObject({ reason: "changed-script" });
  });

  test("a definition that appears counts as changed; what names no script has none", async () => {
    const before = await scriptParts("npm test", cwd);
    writeFileSync(join(cwd, ".npmrc"), "script-shell=./x.sh\n");
    expect(await scriptParts("npm test", cwd)).not.toEqual(before);
    expect(await scriptParts("ls x.sh && cat package.json", cwd)).toEqual([]);
  });
});

describe("what a prefix does not cover", () => {
  test.each([
    ["git *", "git status"],
    ["git config *", "git config x y"],
    ["npm *", "npm test"],
    ["npm test *", "npm test --script-shell=./x"],
    ["node *", "node -e 1"],
    ["python3 -u *", "python3 -u -c 1"],
    ["python3 -m pytest *", "python3 -m pytest -p x"],
    ["awk *", "awk 1 a"],
    ["tar *", "tar xf a"],
    ["env *", "env ls"],
    ["cd *", "cd src"],
    ["printf *", "printf -v x y"],
    ["test *", "test -v x"],
    ["uniq *", "uniq a b"],
    ["uniq *", "uniq - b"],
    ["uniq *", "uniq a -- -b"],
    ["uniq *", "uniq -- a -b"],
    ["make *", "make SHELL=./x"],
    ["make *", "make -E x"],
  ])("%s: %s, which only an exact rule allows", async (pattern, command) => {
    expect((await decide(rulesOf("allow", pattern), { name: "bash", command })).kind).toBe("ask");
    expect(await decide(rulesOf("allow", command), { name: "bash", command })).toEqual(allow);
  });

  // By their words alone: not every machine has these programs.
  test.each([
    ["xxd *", "xxd - b"],
    ["go env *", "go env -w GOFLAGS=-exec=./x"],
    ["pnpm run *", "pnpm run x --config.script-shell=./x"],
    ["yq *", "yq -s .a b"],
    ["sdiff *", "sdiff -o x a b"],
    ["bat *", "bat --paging=always --pager=./x a"],
    ["patch *", "patch -i a"],
    ["unzip *", "unzip a"],
    ["python3.11 *", "python3.11 -c 1"],
    ["bash5 *", "bash5 -c ls"],
    ["node22 *", "node22 -e 1"],
  ])("%s: %s", (pattern, command) => {
    const words = command.split(" ");
    expect(prefixCovers(pattern.split(" ").slice(0, -1), words)).toBe(false);
  });

  test("a rule for every command means those that are understood", async () => {
    for (const rules of [rulesOf("allow", "*"), [rule({ decision: "allow", tool: "bash" })]]) {
      expect(await decide(rules, { name: "bash", command: "sort a | uniq -c; find ." })).toEqual(allow);
      for (const command of ["./x.sh", "ls > a", "find . -delete", "bash -c ls", "git status", "$X"]) {
        expect((await decide(rules, { name: "bash", command })).kind, command).toBe("ask");
      }
    }
  });

  test("a builtin that changes the shell is allowed alone, never before another command", async () => {
    const rules = rulesOf("allow", "cd src", "ls *");
    expect(await decide(rules, { name: "bash", command: "cd src" })).toEqual(allow);
    expect((await decide(rules, { name: "bash", command: "cd src && ls" })).kind).toBe("ask");
  });

  test("protected files, of a program that may write (S13)", async () => {
    const rules = rulesOf("allow", "cp *", "tee *", "find *", "grep *", "git archive *", "git log *");
    expect(await decide(rules, { name: "bash", command: "cp a b && find . -not -path './.git/*'" })).toEqual(allow);
    expect(await decide(rules, { name: "bash", command: "git log -- .git" })).toEqual(allow);
    for (const command of [
      "cp a .git/hooks/x",
      "cp a --target=.git/hooks",
      "grep a b | tee .BASHRC",
      "cp a ../home/x",
      "cp -t.git/hooks a",
      "cp -rt.git/hooks a",
      "git archive -o .git/hooks/x HEAD",
      "git archive -o.git/hooks/x HEAD",
    ]) {
      expect((await decide(rules, { name: "bash", command })).kind, command).toBe("ask");
    }
  });

  test("a program that lies where the agent may write is not the one a rule names", async () => {
    writeFileSync(join(cwd, "mytool"), "#!/bin/sh\n", { mode: 0o755 });
    const input = await inputOf(rulesOf("allow", "mytool *"), { name: "bash", command: "mytool a" });
    expect((await decideByPolicy({ ...input, searchPath: `${cwd}:${input.searchPath}` })).kind).toBe("ask");
  });

  test("a folder that git takes for a repository, without .git, is not trusted", async () => {
    const call = { name: "bash", command: "git status" };
    expect(await decide(rulesOf("allow", "git status"), call)).toEqual(allow);
    writeFileSync(join(cwd, "HEAD"), "ref: refs/heads/main\n");
    expect((await decide(rulesOf("allow", "git status"), call)).kind).toBe("ask");
  });
});

describe("the rule for this repository that an approval offers", () => {
  const offered = async (call: Call, rules: Rule[] = []) => {
    const input = await inputOf(rules, call);
    const decision = await decideByPolicy(input);
    return decision.kind === "ask" ? await projectRuleOf(input, decision.reason) : decision.kind;
  };

  test("one exact command, or one file", async () => {
    expect(await offered({ name: "bash", command: " npm  test\n" })).toEqual({
      rule: { tool: "bash", command: "npm  test", repository: cwd },
      text: 'bash "npm  test" in this repository',
    });
    expect(await offered({ name: "edit", write: "src/[id].ts" })).toEqual({
      rule: { tool: "edit", path: "src/\\[id\\].ts", repository: cwd },
      text: 'edit "src/[id].ts" in this repository',
    });
  });

  test("never where it would not help or not be safe", async () => {
    for (const command of ["npm test; ls", "npm test | cat", "npm test > x", "echo $X", "nosuchprogram"]) {
      expect(await offered({ name: "bash", command }), command).toBeUndefined();
    }
    for (const write of [".git/config", join(outside, "x"), "a\nb"]) {
      expect(await offered({ name: "write", write }), write).toBeUndefined();
    }
    expect(await offered({ name: "bash", command: "npm test" }, rulesOf("ask", "npm *"))).toBeUndefined();
    expect(await offered({ name: "deploy" })).toBeUndefined();
  });

  test("the offered rule then allows", async () => {
    const { rule: remembered } = (await offered({ name: "edit", write: "src/(a)[b]!+@.ts" })) as never;
    const stored = rule({ decision: "allow", ...(remembered as { tool: string; path: string; repository: string }) });
    expect(await decide([stored], { name: "edit", write: "src/(a)[b]!+@.ts" })).toEqual(allow);
    expect((await decide([stored], { name: "edit", write: "src/ab.ts" })).kind).toBe("ask");
  });
});
