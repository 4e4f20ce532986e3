// Rules in configuration files: what a load refuses, what an approval writes, what a project may say.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorLine, isUserError } from "../../src/config/errors.ts";
import { type Home, homeOf, prepareHome } from "../../src/config/home.ts";
import { projectFileOf } from "../../src/config/project-rules.ts";
import { addRememberedRule, rememberedFileOf } from "../../src/config/rules.ts";
import type { MachineContext } from "../../src/main/machine-commands.ts";
import { loadCheckedConfig, rulesOf } from "../../src/main/rules.ts";
import { rulesCommand } from "../../src/main/rules-command.ts";
import { trustCommand } from "../../src/main/trust-command.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function homeWith(config?: string): Home {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("rules") });
  prepareHome(home);
  if (config !== undefined) writeFileSync(home.configFile, config);
  return home;
}

const ruleWith = (...lines: string[]): string => `model = "a/b"\n\n[[rules]]\n${lines.join("\n")}\n`;

function errorOf(config: string): string {
  try {
    loadCheckedConfig(homeWith(config), { environment: {} });
  } catch (error) {
    expect(isUserError(error) && error.exitCode).toBe(2);
    return errorLine(error);
  }
  throw new Error("it was accepted");
}

const bash = 'tool = "bash"';
const allowing = 'decision = "allow"';

describe("what is wrong stops the load, with file, line and key (B14, B15)", () => {
  const cases: [name: string, lines: string[], said: RegExp][] = [
    ["no tool", [allowing], /config\.toml:3: rule 1: tool is missing/],
    ["no decision", [bash], /:3: rule 1: decision is missing/],
    [
      "another decision",
      [bash, 'decision = "maybe"'],
      /:5: rule 1: decision must be one of allow, ask, deny, not "maybe"/,
    ],
    ["an empty tool", [allowing, 'tool = ""'], /:5: rule 1: tool: /],
    ["an empty command", [allowing, bash, 'command = ""'], /:6: rule 1: command: /],
    ["a command of blanks", [allowing, bash, 'command = "  "'], /:6: rule 1: command is empty/],
    ["an empty path", [allowing, 'tool = "edit"', 'path = ""'], /:6: rule 1: path: /],
    ["an unknown key", [allowing, bash, 'cmd = "ls"'], /:6: unknown key "rule 1: cmd"/],
    ["a command for another tool", [allowing, 'tool = "edit"', 'command = "ls"'], /:6: .*only with tool = "bash"/],
    ["a path for bash", [allowing, bash, 'path = "x"'], /:6: .*counts only with a tool for files/],
    ["command and path", [allowing, bash, 'command = "ls"', 'path = "x"'], /:7: .*cannot stand beside command/],
    ["a path upwards", [allowing, 'tool = "edit"', 'path = "../x"'], /:6: .*write an absolute path/],
    ["a deadline that is none", ['decision = "ask"', bash, 'deadline = "soon"'], /:6: rule 1: deadline: /],
    ["a deadline on allow", [allowing, bash, 'deadline = "2h"'], /:6: .*only with decision = "ask"/],
    ["a relative repository", [allowing, bash, 'repository = "x"'], /:6: rule 1: repository: /],
    [
      "a pattern in the middle",
      [allowing, bash, 'command = "git * x"'],
      /:3: rule 1: command "git \* x" must be the words/,
    ],
    [
      "two commands",
      [allowing, bash, 'command = "a; b"'],
      /:3: rule 1: command "a; b" must be the words of one command/,
    ],
    [
      "a match it lacks",
      [allowing, bash, 'command = "npm test"', 'match = ["npm test; x"]'],
      /:3: rule 1: allow bash "npm test" does not cover its example match "npm test; x"/,
    ],
    [
      "a not_match it has",
      ['decision = "deny"', bash, 'command = "curl *"', 'not_match = ["echo $(curl x)"]'],
      /:3: rule 1: deny bash "curl \*" covers its example not_match/,
    ],
    [
      "an example of a path",
      [allowing, 'tool = "edit"', 'path = "src/**"', 'match = ["src/a.ts", "a.ts"]'],
      /does not cover its example match "a\.ts"/,
    ],
    ["an example without pattern", [allowing, bash, 'match = ["x"]'], /:6: .*needs a command or a path/],
  ];
  test.each(cases)("%s", (_name, lines, said) => {
    expect(errorOf(ruleWith(...lines))).toMatch(said);
    expect(errorOf(ruleWith(...lines))).toMatch(/Next: \S/);
  });

  test("the line is that of the rule meant, whatever stands between", () => {
    const text = `[[rules]]\n${allowing}\n${bash}\n\n[providers.x]\nkey = { env = "A" }\n\n[[rules]]\ndecision = "deny"\n`;
    expect(errorOf(text)).toMatch(/config\.toml:8: rule 2: tool is missing/);
  });

  test("examples that hold load without a word", () => {
    const examples = ['match = ["npm test"]', 'not_match = ["npm test; x", "npm test -w a", "npm"]'];
    const home = homeWith(ruleWith(allowing, bash, 'command = "npm test"', ...examples));
    expect(loadCheckedConfig(home, { environment: {} }).warnings).toEqual([]);
  });

  test.each([
    [['tool = "*"'], /allow \*\): it allows every tool/],
    [[bash, 'command = "*"'], /allow bash "\*"\): it allows every command/],
    [[bash], /it allows every command/],
    [[bash, 'command = "git *"'], /it covers nothing/],
    [[bash, 'command = "python3 *"'], /it covers nothing/],
  ])("what is likely not meant is a warning: %j (B14)", (lines, said) => {
    const { warnings } = loadCheckedConfig(homeWith(ruleWith(allowing, ...lines)), { environment: {} });
    expect(warnings).toEqual([expect.stringMatching(said)]);
  });
});

test("rules that cannot be read are a fault that is told, not an empty list", () => {
  const home = homeWith('[[rules]]\ndecision = "deny"\n');
  const { rules, fault, notices } = rulesOf(home, home.root);
  expect(rules).toEqual([]);
  expect(fault).toMatch(/config\.toml:1: rule 1: tool is missing/);
  expect(notices).toEqual([expect.stringContaining("what changes something asks")]);
  const other = homeWith();
  writeFileSync(rememberedFileOf(other), "rules = 5\n");
  expect(rulesOf(other, other.root).fault).toMatch(/rules\.toml:1/);
});

describe("what an approval writes", () => {
  const rule = { tool: "bash", command: "echo 'a\\b\"' 'é \u007f'", repository: "/r" };

  test("stands in the user's folder, readable by the user only, once", () => {
    const home = homeWith();
    expect(addRememberedRule(home, rule)).toBe(true);
    expect(addRememberedRule(home, { ...rule })).toBe(false);
    expect(addRememberedRule(home, { tool: "edit", path: "src/\\[id\\].ts", repository: "/r" })).toBe(true);
    const file = rememberedFileOf(home);
    expect(dirname(file)).toBe(dirname(home.configFile));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toMatch(/^# Written by tempi/);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("rules.toml"))).toEqual(["rules.toml"]);
    expect(rulesOf(home, home.root).rules).toMatchObject([
      { decision: "allow", ...rule, origin: { kind: "remembered", number: 1 } },
      { decision: "allow", tool: "edit", path: "src/\\[id\\].ts" },
    ]);
  });

  test("is not written over a file that is wrong", () => {
    const home = homeWith();
    writeFileSync(rememberedFileOf(home), "rules = 5\n");
    expect(() => addRememberedRule(home, rule)).toThrow(/rules\.toml:1/);
    expect(readFileSync(rememberedFileOf(home), "utf8")).toBe("rules = 5\n");
  });
});

describe("tempi rules", () => {
  function commandOf(home: Home) {
    const lines: string[] = [];
    const said: string[] = [];
    const context = {
      home,
      environment: {},
      write: (text: string) => void lines.push(text),
      say: (text: string) => void said.push(text),
      workerProgram: undefined,
    } satisfies MachineContext;
    return { context, lines, said };
  }

  test("lists all rules with their origin, and takes back one of its own", () => {
    const home = homeWith(ruleWith('decision = "ask"', bash, 'command = "git push *"', 'deadline = "2h"'));
    addRememberedRule(home, { tool: "bash", command: "npm test", repository: "/r" });
    addRememberedRule(home, { tool: "bash", command: "npm run x", repository: "/r" });
    const { context, lines, said } = commandOf(home);
    rulesCommand(context, {});
    expect(lines).toEqual([
      `1  ask bash "git push *", denied after 7200 s  ${home.configFile}:3\n`,
      `2  allow bash "npm test" in /r  ${rememberedFileOf(home)}:4\n`,
      `3  allow bash "npm run x" in /r  ${rememberedFileOf(home)}:10\n`,
    ]);
    expect(() => rulesCommand(context, { forget: 1 })).toThrow(/not one of tempi's own/);
    expect(() => rulesCommand(context, { forget: 4 })).toThrow("there is no rule 4");
    rulesCommand(context, { forget: 2 });
    expect(said).toEqual([expect.stringContaining('taken back: allow bash "npm test" in /r')]);
    expect(rulesOf(home, home.root).rules.map(({ command }) => command)).toEqual(["git push *", "npm run x"]);
  });

  test("a project's rules count once trusted, and only those that ask or deny (C01, C06)", async () => {
    const home = homeWith();
    const workspace = temporaryFolder("project");
    const file = projectFileOf(workspace);
    mkdirSync(dirname(file));
    writeFileSync(
      file,
      ruleWith(allowing, bash, "") + ruleWith('decision = "deny"', bash, 'command = "curl *"').slice(14),
    );
    const now = () => rulesOf(home, workspace);
    expect(now()).toMatchObject({ rules: [], notices: [expect.stringContaining("is not trusted")] });
    expect(now().fault).toBeUndefined();
    const { context, lines } = commandOf(home);
    await trustCommand(context, workspace, {});
    expect(lines).toEqual([`${file}\n`]);
    expect(now().rules).toMatchObject([
      { decision: "deny", command: "curl *", origin: { kind: "project", number: 2 } },
    ]);
    expect(now().notices).toEqual([expect.stringMatching(/ignored: "model", rule 1, which would allow$/)]);
    writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
    expect(now()).toMatchObject({ rules: [], notices: [expect.stringContaining("changed since")] });
    await trustCommand(context, workspace, {});
    await trustCommand(context, workspace, { revoke: true });
    expect(now().rules).toEqual([]);
  });

  test("what is wrong in a project's file is not trusted", async () => {
    const home = homeWith();
    const workspace = temporaryFolder("project");
    mkdirSync(dirname(projectFileOf(workspace)));
    writeFileSync(projectFileOf(workspace), '[[rules]]\ndecision = "deny"\n');
    await expect(trustCommand(commandOf(home).context, workspace, {})).rejects.toThrow("rule 1: tool is missing");
    expect(existsSync(join(home.root, "trust.json"))).toBe(false);
  });

  test("a device, a folder or a huge file in its place is a fault, and read by nobody", () => {
    const home = homeWith();
    const workspace = temporaryFolder("project");
    const file = projectFileOf(workspace);
    mkdirSync(dirname(file));
    symlinkSync("/dev/zero", file);
    expect(rulesOf(home, workspace).fault).toMatch(/is not a file of at most 256 KB/);
    rmSync(file);
    writeFileSync(file, "#".repeat(300_000));
    expect(rulesOf(home, workspace).fault).toMatch(/is not a file of at most 256 KB/);
  });

  test("a file that others own or that cannot be read is a fault", () => {
    const home = homeWith(ruleWith(allowing, bash));
    mkdirSync(rememberedFileOf(home));
    chmodSync(home.configFile, 0o644);
    expect(rulesOf(home, home.root).fault).toMatch(/cannot read .*rules\.toml/);
  });
});
