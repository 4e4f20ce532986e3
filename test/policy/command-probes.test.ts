// S01–S16, S20: the lines of the shared list are judged, and run for real to show that each is live.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf, previewOf } from "../../activities/checked-call.ts";
import type { ApprovalLevel } from "../../src/agent/approval.ts";
import type { Rule } from "../../src/agent/rule.ts";
import type { ToolDefinition } from "../../src/agent/tool.ts";
import { decideByPolicy } from "../../src/policy/policy.ts";
import { findsCommand } from "../../src/policy/rule-patterns.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { contextFor, temporaryFolder } from "../tools/support.ts";
import { commandProbes, probeRules, rulesOf } from "./command-probes.ts";

const searchPath = `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}:${dirname(rgPath)}`;
let cwd: string;
let temp: string;

beforeEach(() => {
  const folder = temporaryFolder();
  cwd = join(folder, "workspace");
  temp = join(folder, "temp");
  mkdirSync(join(cwd, ".agent"), { recursive: true });
  mkdirSync(temp);
  writeFileSync(join(cwd, "a.txt"), "b\na\n");
  writeFileSync(join(cwd, "victim"), "v\n");
  writeFileSync(join(cwd, "package.json"), '{"scripts":{"test":"true"}}');
});

const judge = (command: string, rules: Rule[] = probeRules, level: ApprovalLevel = "ask") =>
  decideByPolicy({
    tool: { name: "bash", effect: "external" },
    level,
    preview: { summary: "", display: [], paths: [], digestParts: [] },
    command,
    cwd,
    tempFolder: temp,
    tempiFolders: [],
    searchPath,
    rules: { rules, repository: cwd },
    startedAt: Date.now() + 60_000,
  });

const run = (line: string) =>
  spawnSync("bash", ["-c", line], { cwd, env: { PATH: searchPath, HOME: temp }, stdio: "ignore", timeout: 20_000 });

function makeRepository(): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd, env: { PATH: searchPath, HOME: temp } });
  git("init", "-q");
  git("add", "a.txt");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "a");
  writeFileSync(join(cwd, "a.txt"), "c\n");
}

const shown = (line: string): string => (line.length > 60 ? `${line.slice(0, 40)}… (${line.length})` : line);
const cases = commandProbes.map((probe) => ({ ...probe, name: JSON.stringify(shown(probe.line)) }));

describe("hostile lines are not allowed by the rules of the probes (S01–S16)", () => {
  test.each(cases)("$id $name", async ({ line }) => {
    const command = line.replaceAll("@C@", join(cwd, "canary"));
    for (const level of ["ask", "edits"] as const) {
      expect((await judge(command, probeRules, level)).kind, level).not.toBe("allow");
    }
  });
});

describe("the same lines fire when they run: a quiet canary means that the guard worked", () => {
  test.each(cases.filter(({ quiet }) => !quiet))("$id $name", ({ line, fired }) => {
    const canary = join(cwd, "canary");
    makeRepository();
    // A text that is a program too, large enough for sort to need files of its own.
    writeFileSync(join(cwd, "big.txt"), `touch ${canary}\n`.repeat(line.includes("big.txt") ? 20_000 : 1));
    writeFileSync(join(cwd, "h"), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    run(line.replaceAll("@C@", canary));
    expect(fired ? fired(cwd) : existsSync(canary)).toBe(true);
  });

  test("those that cannot fire here say why", () => {
    expect(cases.filter(({ quiet }) => quiet).map(({ line, quiet }) => [line, quiet])).toEqual([
      ["git diff --outp @C@", "git takes this beginning for several of its options"],
      ["git --paginate status", "a pager starts only at a terminal"],
    ]);
  });
});

test("a rule for rg does not cover the options that start a program (S11)", async () => {
  const rules = rulesOf("allow", "rg *");
  for (const line of ["rg --pre sh x", "rg --pre=sh x", "rg --hostname-bin ./h x", "rg -z x", "rg --search-zip x"]) {
    expect((await judge(line, rules)).kind, line).toBe("ask");
  }
});

describe("controls: harmless lines run unasked", () => {
  test.each([
    "echo a && ls",
    "echo a",
    "echo",
    "git status -s | cat",
    "git status",
    "npm test",
    "cat a.txt | sort -r | grep b",
    "find . -maxdepth 2 -name '*.ts' -not -path './node_modules/*'",
    "sed -n 1,5p a.txt",
    "sed -n '1,$p' a.txt",
    "git log --oneline -n 3",
    "git log -p --reverse",
    "git diff --stat; git status",
    "git diff HEAD~1 -- a.txt",
    "grep -rn 'a; touch x' . || echo none",
    "cat a.txt &&\n  ls",
    "ls\ncat a.txt",
    "sort -k1,2 -n a.txt",
    "pwd && echo here",
    "wc -l a.txt | sort",
  ])("%s", async (line) => {
    expect(await judge(line)).toEqual({ kind: "allow" });
  });
});

describe("deny looks everywhere, at every level (S14)", () => {
  const long = `echo ${"a".repeat(10_001)}`;
  const lines = [
    "curl x",
    "/x/curl x",
    "echo $(curl x)",
    'echo "`curl x`"',
    "(curl x)",
    "f() { curl x; }; f",
    "cat <<EOF\n$(curl x)\nEOF",
    "bash <<EOF\ncurl x\nEOF",
    "X=1 curl x > out &",
    "if true; then curl x; fi",
    "timeout 5 curl x",
    "sudo -u root nice -n 3 curl x",
    "env A=1 curl x",
    "env -S 'curl x'",
    "find . -exec curl {} ';'",
    "echo x | xargs curl",
    "bash -c 'curl x'",
    'sh -lc "echo a; curl $X"',
    "eval curl x",
    "eval 'cu''rl x'",
    "echo 'curl x' | sh",
    "python3 -c 'import os; os.system(\"curl x\")'",
    "cu''rl x",
    "c\\url x",
    "$'\\143url' x",
    "{curl,x}",
    "X=curl; $X x",
    "curl 'unclosed",
    "env -Scurl",
    "fd -xcurl",
    "fd --exec=curl",
    "alias c=curl\nc x",
    "alias c='curl x'\nc",
    "hash -p /usr/bin/curl c; c x",
    "let 'a[$(curl x)]'",
    "test -v 'a[$(curl x)]'",
    "[[ 'a[$(curl x)]' -eq 0 ]]",
    "PS4='$(curl x)'; set -x; :",
    "mapfile -C 'curl x' -c 1 <<< a",
    "GIT_SSH_COMMAND='curl x' git fetch",
    "GIT_EXTERNAL_DIFF=curl git diff",
    "git -c alias.x='!curl x' x",
    "git submodule foreach 'curl x'",
    "git bisect run curl x",
    "git rebase -x 'curl x' main",
    "npm exec -- curl x",
    "pnpm dlx curl",
    "uv run curl x",
    "docker run i curl x",
    "valgrind curl x",
    "tar --to-command='curl x' -xf a",
    "rsync -e 'curl x' a b",
    "sort --compress-program=curl a",
    "rg --pre curl x",
    "make SHELL=/usr/bin/curl",
    "make -f - <<< 'a:;curl x'",
    "sed '1e curl x' a",
    "vim -c '!curl x'",
    "python3.11 -c 'import os; os.system(\"curl x\")'",
    "python3 <<EOF\nimport os; os.system('curl x')\nEOF",
    "echo \"import os; os.system('curl x')\" | python3",
    "perl -e exec+curl",
    "echo 'curl x' | bash /dev/stdin",
    "echo 'curl x' | bash -o errexit",
    "echo 'curl x' | sudo -u root bash -s",
    "echo 'curl x' | . /dev/stdin",
    "echo curl x | xargs -0 sh -c",
    "/usr/bin/cur? x",
    "/usr/bin/c*l x",
    ...[50, 51, 500].map((count) => `${"true;".repeat(count)} curl x`),
    `${long}; curl x`,
    `${"true;".repeat(5_000)} curl x`,
  ];
  test.each(lines.map((line) => [shown(line), line] as const))("%s", async (_name, line) => {
    for (const level of ["ask", "edits", "auto"] as const) {
      const decision = await judge(line, probeRules, level);
      expect(decision).toMatchObject({ kind: "deny" });
      expect(decision.kind === "deny" && decision.text).toMatch(
        /^A rule of the user denies this: .*do it another way/i,
      );
    }
  });

  test("texts within texts take bounded time", () => {
    let nested = "x";
    for (let depth = 0; depth < 4; depth++) nested = `env ${JSON.stringify(`${nested} $(a) ${nested}`)}`;
    const lines = [
      nested,
      "env a='b c' ".repeat(800),
      "bash ".repeat(1_900),
      `${"$(".repeat(3_000)}x`,
      "'$(a)' ".repeat(1_400),
    ];
    for (const line of lines) {
      const before = performance.now();
      expect(findsCommand({ words: ["curl"], prefix: true }, line)).toBe(false);
      expect(performance.now() - before, shown(line)).toBeLessThan(5_000);
    }
  });

  test("a long line without it asks", async () => {
    expect(await judge(long)).toEqual({ kind: "ask", reason: "not-read-only" });
  });

  test.each([
    "echo curl",
    "grep -rn curl .",
    "cat curl.txt",
    "Curl x",
    "curlx",
    "ls ./curl/x",
    "find . -name curl",
    "git commit -m 'use `curl` here'",
    "git log --grep='curl x' -- src/curl",
    "npm install curl",
    "docker pull curlimages/curl",
    "cat log | python3 x.py curl",
    "cat curl | bash x.sh",
    "sed -n 1,3p curl.txt",
  ])("a word that only looks like it is not denied: %s", async (line) => {
    expect((await judge(line)).kind).not.toBe("deny");
  });

  test("options between the words of a pattern do not hide it, and take bounded time", async () => {
    const rules = rulesOf("deny", "git push *", "npm publish");
    for (const line of ["git push", "git -C . push -f", "git --no-pager push origin", "npm publish"]) {
      expect((await judge(line, rules, "auto")).kind, line).toBe("deny");
    }
    expect((await judge("git log --grep x", rules, "auto")).kind).toBe("allow");
    expect((await judge("npm publish --dry-run", rules, "auto")).kind).toBe("allow");
    expect((await judge(`git ${"-a ".repeat(2_000)} x`, rules, "auto")).kind).toBe("allow");
  });
});

test("no call knows what another one set (S07)", async () => {
  makeRepository();
  const canary = join(cwd, "canary");
  expect((await judge(`export GIT_EXTERNAL_DIFF='touch ${canary};:'`)).kind).toBe("ask");
  expect((await judge("git diff")).kind).toBe("allow");
  run(`export GIT_EXTERNAL_DIFF='touch ${canary};:'`);
  run("git diff");
  expect(existsSync(canary)).toBe(false);
});

test("an exact rule covers exactly its words (S20)", async () => {
  const rules = rulesOf("allow", "git status");
  expect((await judge("git status", rules)).kind).toBe("allow");
  expect((await judge(" git  status\n", rules)).kind).toBe("allow");
  const others = ["git status; x", "git stash", "/x/git status", "Git status", "git status -s", "git", "git status&"];
  for (const line of [...others, "git\u00a0status", "git status\r", "git status #", "git status --output=x"]) {
    expect((await judge(line, rules)).kind, line).toBe("ask");
  }
});

test("a card shows and a digest covers white space as it is (A04)", async () => {
  const context = await contextFor({ cwd });
  const commands = ["x", "x ", "x\t", " x", "x\u00a0"];
  const digests = commands.map(async (command) => {
    const checked = { tool: bashTool as ToolDefinition, args: { command } };
    const preview = await previewOf(checked, context);
    expect(preview.display).toEqual([{ kind: "command", command, cwd }]);
    return digestOf(checked, preview, cwd);
  });
  expect(new Set(await Promise.all(digests)).size).toBe(commands.length);
});

test("white space of a command is part of it (A04)", async () => {
  const rules = rulesOf("allow", "echo 'a '");
  expect((await judge("echo 'a '", rules)).kind).toBe("allow");
  for (const line of ["echo a", "echo 'a'", "echo 'a  '", "echo 'a\t'", "echo a\u00a0"]) {
    expect((await judge(line, rules)).kind, line).toBe("ask");
  }
});
