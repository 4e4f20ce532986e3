import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { isReadOnlyCommand } from "../../src/policy/read-only-command.ts";
import { literalWords } from "../../src/tools/shell-words.ts";
import { temporaryFolder } from "../tools/support.ts";

let cwd: string;
let outside: string;

beforeEach(async () => {
  const folder = temporaryFolder();
  cwd = join(folder, "workspace");
  outside = join(folder, "workspace-evil");
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(join(outside, "deep"), { recursive: true });
  await writeFile(join(cwd, "a.txt"), "a\n");
  await writeFile(join(cwd, "a b.txt"), "a\n");
  await writeFile(join(outside, "secret"), "s\n");
  await symlink(outside, join(cwd, "out"));
  await symlink(join(outside, "deep"), join(cwd, "deep"));
});

const judge = (command: string) => isReadOnlyCommand(command, { cwd });

describe("read-only", () => {
  test.each([
    "pwd",
    "ls",
    "ls -la src",
    "  ls  ",
    "ls\n",
    "cat a.txt",
    'cat "a b.txt"',
    "cat 'a b.txt' ./a.txt src/../a.txt",
    "head -n 5 a.txt",
    "head -n5 a.txt",
    "tail -c +10 a.txt",
    "wc -l a.txt",
    "stat -c %s a.txt",
    "stat --format=%s a.txt",
    "file a.txt",
    "du -sh .",
    "ls --color=never",
    "cat -- -not-there",
    "cat 日本語.txt",
    "cat missing.txt",
    "ls -I '*.o'",
  ])("%s", async (command) => {
    expect(await judge(command)).toBe(true);
  });

  test("a file by its absolute path, and a link inside", async () => {
    await symlink("a.txt", join(cwd, "inner"));
    expect(await judge(`cat ${cwd}/a.txt inner`)).toBe(true);
  });
});

describe("not read-only: paths", () => {
  test.each([
    "cat /etc/passwd",
    "ls ..",
    "ls /",
    "cat out/secret",
    "ls out",
    "cat deep/../secret",
    "cat missing/../../workspace-evil/secret",
    "cat ~/x",
    "head -n 5 /etc/passwd",
    "ls -- /",
    "ls --color=/etc",
    "/bin/ls",
    "./ls",
  ])("%s", async (command) => {
    expect(await judge(command)).toBe(false);
  });

  test("a folder whose name only begins like the workspace (P01)", async () => {
    expect(await judge(`cat ${outside}/secret`)).toBe(false);
  });

  test("a program in a folder that the agent may write is not the one that is meant", async () => {
    await writeFile(join(cwd, "ls"), "#!/bin/sh\n", { mode: 0o755 });
    const system = dirname(execFileSync("bash", ["-c", "command -v ls"]).toString().trim());
    const judgeWith = (searchPath: string) => isReadOnlyCommand("ls", { cwd, searchPath, writableFolders: ["/tmp"] });
    expect(await judgeWith(system)).toBe(true);
    expect(await judgeWith(`${cwd}:${system}`)).toBe(false);
    expect(await judgeWith(`.:${system}`)).toBe(false);
    expect(await judgeWith("/nowhere")).toBe(false);
  });
});

describe("not read-only: options that do more", () => {
  test.each([
    "file -C -m a.txt",
    "file --compile a.txt",
    "file --comp a.txt",
    "file -f a.txt",
    "file -zb a.txt",
    "file -p a.txt",
    "wc --files0-from=a.txt",
    "wc --fi=a.txt",
    "du --files0-from a.txt",
    "du -X a.txt",
    "du -L .",
    "ls -LR .",
    "ls --deref",
  ])("%s", async (command) => {
    expect(await judge(command)).toBe(false);
  });
});

/** S01–S16 of the probes; C stands for the canary file outside. */
const probes: [string, string[]][] = [
  ["S01", ["echo a; touch C", "ls; touch C", "ls && touch C", "ls || touch C", "ls | tee C", "ls & touch C", "ls &"]],
  ["S02", ["echo a\ntouch C", "ls\ntouch C", "ls\r\ntouch C", "ls\\\n-l"]],
  [
    "S03",
    ["ls $(touch C)", 'cat "notes-`touch C`.md"', "cat `touch C`", 'cat "$(touch C)"', `cat "$\{x:=$(touch C)}"`],
  ],
  ["S04", ["cat <(touch C)", "ls >(touch C)"]],
  ["S05", ["find . -maxdepth 0 -exec touch C \\;", "find . -fprintf C x", "find . -delete"]],
  ["S06", ["FOO=1 touch C", "FOO=1 ls", "GIT_EXTERNAL_DIFF='touch C;:' git diff", "PATH=. ls", "LD_PRELOAD=./x ls"]],
  [
    "S07",
    ["export GIT_EXTERNAL_DIFF='touch C;:'", "alias ls='touch C'", "ls() { touch C; }", "cd src", "eval ls", ". a.txt"],
  ],
  [
    "S08",
    ["env -S 'touch C'", "timeout 5 touch C", "nice -n 1 touch C", "xargs -t touch", "command ls", "time ls", "! ls"],
  ],
  ["S09", ["echo t | sed 's#t#touch C#e'", "sed -n 'w C' a.txt"]],
  ["S10", ["sort a.txt -o C", "sort -S 1b --compress-program=sh"]],
  ["S11", ["rg --pre sh x", "rg --hostname-bin ./h x"]],
  [
    "S12",
    [
      "echo x >| C",
      "ls >| C",
      "ls 1<> C",
      "exec 3>C",
      "ls > C",
      "ls >> C",
      "ls &> C",
      "cat < a.txt",
      "cat <<< a",
      "ls 2>&1",
    ],
  ],
  ["S13", ["cd .agent && tee settings.json <<< '{}'"]],
  ["S14", [`${"true;".repeat(50)}ls`, `${"true;".repeat(500)}curl x`, `ls ${"a".repeat(10_001)}`]],
  [
    "S15",
    [
      "touch$IFSC",
      "ls$IFS-l",
      "{touch,C}",
      "ls {a,b}",
      "$'\\164ouch' C",
      "l\\s",
      'l"s" $x',
      "ls *",
      "ls ?.txt",
      "ls [a]",
      "ls ~",
    ],
  ],
  ["S16", ["git -c core.fsmonitor='touch C;false' status", "git -c alias.st='!touch C' st", "git status"]],
  [
    "others",
    [
      "",
      " ",
      "ls #x",
      "# ls",
      "ls;",
      "(ls)",
      "{ ls; }",
      "if ls; then ls; fi",
      "LS",
      "Ls",
      "ls\0",
      "ls \u001b",
      "ls\u00A0-l",
      "ls 'a",
      'ls "a',
      "ls\\",
      "ls $",
      "cat a.txt\u2028x",
      "[[ a ]]",
      "((1))",
      "coproc ls",
      "function f { ls; }",
      "ls @(a|b)",
      'ls $"a"',
    ],
  ],
];

describe("not read-only: probes of the shell", () => {
  test.each(probes.flatMap(([id, lines]) => lines.map((line) => [id, line.slice(0, 80), line] as const)))(
    "%s: %s",
    async (_id, _shown, line) => {
      expect(await judge(line.replaceAll("C", join(outside, "canary")))).toBe(false);
      expect(await judge(line)).toBe(false);
    },
  );

  test("what is judged read-only does not write when bash runs it", async () => {
    for (const command of ["ls -la src", "cat 'a b.txt' ./a.txt", "wc -l a.txt", "du -sh ."]) {
      expect(await judge(command)).toBe(true);
      execFileSync("bash", ["-c", command], { cwd });
    }
    expect(existsSync(join(outside, "canary"))).toBe(false);
  });
});

test("literalWords gives the words as bash does", () => {
  const line = `printf '%s|' a 'b c' "d'e" f"g"'h' -x=1 é '' "" @a`;
  const words = literalWords(line)!;
  const [, , ...values] = words;
  expect(execFileSync("bash", ["-c", line]).toString()).toBe(values.map((value) => `${value}|`).join(""));
});
