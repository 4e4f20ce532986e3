import { relative } from "node:path";
import type { ApprovalReason } from "../agent/approval.ts";
import type { PreparedCall } from "../agent/prepared-call.ts";
import type { Rule } from "../agent/rule.ts";
import { isInside, realPathOf, visibleText } from "../tools/paths.ts";
import { literalWords } from "../tools/shell-words.ts";
import { decideByPolicy, type PolicyInput } from "./policy.ts";

/** Longer lines are no rule that a person would read again. Characters. */
const maximumCommand = 500;

/**
 * The rule that "allow for this repository" would write for a call that asks: one exact command, or one file. Absent where
 * such a rule would not help or not be safe: protected files, those outside, what a hook or another rule asks about.
 */
export async function projectRuleOf(input: PolicyInput, reason: ApprovalReason): Promise<PreparedCall["projectRule"]> {
  const { tool, rules } = input;
  if (!rules || input.ofExtension || (reason !== "level" && reason !== "not-read-only")) return undefined;
  const repository = await realPathOf(rules.repository);
  const pattern = tool.name === "bash" ? commandOf(input) : await pathOf(input, repository);
  if (!pattern) return undefined;
  const rule: Rule = {
    decision: "allow",
    tool: tool.name,
    ...pattern,
    repository,
    match: [],
    notMatch: [],
    origin: { kind: "remembered", file: "", number: 0 },
  };
  // Asked now with that rule in place: what still asks then would ask next time too.
  const startedAt = Number.POSITIVE_INFINITY;
  const then = await decideByPolicy({ ...input, startedAt, rules: { ...rules, rules: [...rules.rules, rule] } });
  if (then.kind !== "allow") return undefined;
  const { command, path } = pattern;
  const shown = visibleText(command ?? path!.replace(/\\(.)/g, "$1"));
  const text = `${tool.name} ${JSON.stringify(shown)} in this repository`;
  return { rule: { tool: tool.name, ...pattern, repository }, text };
}

type Pattern = { command?: string; path?: string };

function commandOf({ command }: PolicyInput): Pattern | undefined {
  const line = command?.replace(/^[ \t\n]+|[ \t\n]+$/g, "") ?? "";
  return line.length <= maximumCommand && literalWords(line) ? { command: line } : undefined;
}

async function pathOf({ tool, preview }: PolicyInput, repository: string): Promise<Pattern | undefined> {
  if (tool.name !== "edit" && tool.name !== "write") return undefined;
  const [written, ...more] = preview.paths.filter(({ access }) => access === "write");
  if (!written || more.length > 0 || !isInside(written.path, repository)) return undefined;
  const path = relative(repository, written.path);
  // A name that begins or ends in white space, or holds a line break, is not told apart in a list.
  return path === "" || path !== path.trim() || visibleText(path) !== path ? undefined : { path: escapedGlob(path) };
}

/** A plain path as a glob that means only it. */
const escapedGlob = (path: string): string => path.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
