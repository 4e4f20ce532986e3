import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Rule, ruleText } from "../agent/rule.ts";
import type { ToolPreview } from "../agent/tool.ts";
import { realPathOf, visibleText } from "../tools/paths.ts";
import { literalCommands } from "../tools/shell-words.ts";
import { gitReaders, readers, shellState } from "./program-kinds.ts";
import { isProtected } from "./protected-paths.ts";
import { type CommandPlace, isReadOnlyWords, isTrustedProgram } from "./read-only-command.ts";
import {
  allowsWords,
  type CommandPattern,
  commandPattern,
  findsCommand,
  fitsPath,
  isAbsolutePattern,
} from "./rule-patterns.ts";
import { scriptsOf } from "./scripts.ts";

/** A call as rules see it. */
export interface JudgedCall extends CommandPlace {
  tool: string;
  /** What its arguments mean is not known, so allow rules with a pattern do not hold for it. */
  ofExtension: boolean;
  paths: ToolPreview["paths"];
  /** The line, for bash. */
  command?: string;
  /** Absolute path of the repository's folder. */
  repository: string;
  /** Absolute files and folders that are protected besides those that are by name. */
  protectedFolders: readonly string[];
  /** When the session began, milliseconds since 1970. */
  startedAt?: number;
}

/** What the rules say. `outside`: the rules that allow name every written file by an absolute pattern. */
export type Verdict =
  | { kind: "deny"; text: string }
  | { kind: "ask"; text: string; deadlineMs?: number }
  | { kind: "allow"; outside: boolean }
  | { kind: "changed"; path: string }
  | { kind: "none" };

/** Deny beats ask beats allow; the order of the rules does not matter. */
export async function judge(rules: readonly Rule[], call: JudgedCall): Promise<Verdict> {
  const workspace = await realPathOf(call.cwd);
  const places = [workspace, await realPathOf(call.repository)];
  const known: Rule[] = [];
  for (const rule of rules) {
    if (rule.tool !== "*" && rule.tool !== call.tool) continue;
    if (rule.repository === undefined || places.includes(await realPathOf(rule.repository))) known.push(rule);
  }
  const of = (decision: Rule["decision"]) => known.filter((rule) => rule.decision === decision);
  for (const rule of of("deny")) {
    if (await finds(rule, call, workspace)) return { kind: "deny", text: reasonOf(rule) };
  }
  let asks: Extract<Verdict, { kind: "ask" }> | undefined;
  for (const rule of of("ask")) {
    if (!(await finds(rule, call, workspace))) continue;
    const deadlines = [asks?.deadlineMs, rule.deadlineMs].filter((one) => one !== undefined);
    const text = asks?.text ?? reasonOf(rule);
    asks = { kind: "ask", text, ...(deadlines.length > 0 ? { deadlineMs: Math.min(...deadlines) } : {}) };
  }
  return asks ?? (await allows(of("allow"), call, workspace));
}

function reasonOf(rule: Rule): string {
  const words = rule.reason ?? `the rule: ${ruleText(rule)}`;
  const where = rule.origin.kind === "project" ? " (a rule of this repository)" : "";
  return `${visibleText(words).slice(0, 400)}${where}`;
}

/** Whether a rule that denies or asks means the call: one command of the line or one file is enough. */
async function finds(rule: Rule, call: JudgedCall, workspace: string): Promise<boolean> {
  if (rule.command !== undefined) {
    const pattern = commandPattern(rule.command);
    return (
      call.tool === "bash" && call.command !== undefined && pattern !== undefined && findsCommand(pattern, call.command)
    );
  }
  if (rule.path === undefined) return true;
  const folder = await folderOf(rule, workspace);
  return call.paths.some(({ path }) => fitsPath(rule, path, folder));
}

const folderOf = async (rule: Rule, workspace: string): Promise<string> =>
  rule.repository === undefined ? workspace : await realPathOf(rule.repository);

async function allows(rules: readonly Rule[], call: JudgedCall, workspace: string): Promise<Verdict> {
  if (rules.length === 0) return { kind: "none" };
  if (call.tool === "bash" && !call.ofExtension) return await allowsLine(rules, call, workspace);
  const whole = rules.some(({ command, path }) => command === undefined && path === undefined);
  if (call.ofExtension) return whole ? { kind: "allow", outside: false } : { kind: "none" };
  const withFolders = await Promise.all(rules.map(async (rule) => ({ rule, folder: await folderOf(rule, workspace) })));
  const fitting = (path: string) =>
    withFolders.filter(({ rule, folder }) => rule.path !== undefined && fitsPath(rule, path, folder));
  const covered = call.paths.length > 0 && call.paths.every(({ path }) => fitting(path).length > 0);
  if (!covered && !whole) return { kind: "none" };
  const written = call.paths.filter(({ access }) => access === "write");
  const outside = written.every(({ path }) => fitting(path).some(({ rule }) => isAbsolutePattern(rule)));
  return { kind: "allow", outside };
}

/** Every command of the line must be allowed by a rule or only read, and what it runs must be as it was. */
async function allowsLine(rules: readonly Rule[], call: JudgedCall, workspace: string): Promise<Verdict> {
  const none: Verdict = { kind: "none" };
  const patterns = rules
    .filter(({ path }) => path === undefined)
    .map(({ command }) => commandPattern(command))
    .filter((pattern) => pattern !== undefined);
  const commands = literalCommands(call.command ?? "");
  if (!commands) return none;
  let ruled = false;
  for (const words of commands) {
    if (await isAllowed(words, patterns, commands.length === 1, call, workspace)) ruled = true;
    else if (!(await isReadOnlyWords(words, call))) return none;
  }
  if (!ruled) return none;
  // Equal counts as later: file systems tell the time less finely than clocks do.
  const since = call.startedAt ?? 0;
  const changed = (await scriptsOf(call.command!, call.cwd)).find(({ changedAt }) => (changedAt ?? -1) >= since);
  return changed ? { kind: "changed", path: visibleText(changed.path) } : { kind: "allow", outside: false };
}

async function isAllowed(
  words: string[],
  patterns: readonly CommandPattern[],
  alone: boolean,
  call: JudgedCall,
  workspace: string,
): Promise<boolean> {
  const [name] = words;
  // Named by its path: only a rule that names this very path means it.
  const named = name!.includes("/");
  const fitting = patterns.filter(
    (pattern) => allowsWords(pattern, words, alone) && (!named || pattern.words[0] === name),
  );
  if (fitting.length === 0) return false;
  const exact = fitting.some(({ prefix }) => !prefix);
  const isGit = basename(name!) === "git";
  const onlyReads = readers.has(basename(name!)) && (!isGit || gitReaders.has(words[1] ?? ""));
  if (!exact && !onlyReads && (await namesProtected(words, call))) return false;
  if (isGit && isBareRepository(call.cwd)) return false;
  return named || shellState.has(name!) || (await isTrustedProgram(name!, workspace, call));
}

/** A rule that lets a program write does not let it write what decides about tempi or runs by itself. */
async function namesProtected(words: readonly string[], { cwd, protectedFolders }: JudgedCall): Promise<boolean> {
  for (const word of words.slice(1)) {
    for (const path of pathsIn(word)) {
      if (await isProtected(path, cwd, protectedFolders)) return true;
    }
  }
  return false;
}

/** Short options in a group before a value; with more letters than that a word is judged as a whole. */
const maximumLetters = 16;

/** What of a word may be a path: all of it, what follows `=`, and what is attached to short options, as in `-rt.git`. */
function pathsIn(word: string): Set<string> {
  const letters = /^-[^-]/.test(word) ? Math.min(word.length, maximumLetters) : 0;
  const attached = Array.from({ length: Math.max(0, letters - 2) }, (_, index) => word.slice(index + 2));
  return new Set([word, word.slice(word.indexOf("=") + 1), ...attached]);
}

/** Git takes a folder with these files for a repository, with all the commands that its `config` names. */
const isBareRepository = (cwd: string): boolean => !existsSync(join(cwd, ".git")) && existsSync(join(cwd, "HEAD"));
