import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Rule, ruleText } from "../agent/rule.ts";
import { literalCommands } from "../tools/shell-words.ts";
import { prefixIsUseless } from "./prefix-limits.ts";
import { allowsWords, commandPattern, findsCommand, fitsPath } from "./rule-patterns.ts";

export interface RuleFindings {
  /** What makes the rules unusable: the first says it for all. */
  errors: string[];
  /** What is likely not meant. */
  warnings: string[];
}

/** Checks rules by what they mean: their patterns, and the examples they carry. */
export function checkRules(rules: readonly Rule[]): RuleFindings {
  const findings: RuleFindings = { errors: [], warnings: [] };
  for (const rule of rules) {
    const { origin } = rule;
    const place = `${origin.file}${origin.line === undefined ? "" : `:${origin.line}`}: rule ${origin.number}`;
    const error = patternFault(rule) ?? exampleFault(rule);
    if (error) findings.errors.push(`${place}: ${error}`);
    const warning = warningOf(rule);
    if (warning) findings.warnings.push(`${place} (${ruleText(rule)}): ${warning}`);
  }
  return findings;
}

const patternFault = ({ command }: Rule): string | undefined =>
  commandPattern(command)
    ? undefined
    : `command ${JSON.stringify(command)} must be the words of one command, quoted where needed, with * only as the last word`;

function exampleFault(rule: Rule): string | undefined {
  const text = ruleText(rule);
  const missed = rule.match.find((example) => !covers(rule, example));
  if (missed !== undefined) return `${text} does not cover its example match ${JSON.stringify(missed)}`;
  const caught = rule.notMatch.find((example) => covers(rule, example));
  return caught === undefined ? undefined : `${text} covers its example not_match ${JSON.stringify(caught)}`;
}

/** Whether the rule alone would decide the example: a whole line, or a path as a call would name it. */
function covers(rule: Rule, example: string): boolean {
  const pattern = commandPattern(rule.command);
  if (rule.command !== undefined && pattern) {
    if (rule.decision !== "allow") return findsCommand(pattern, example);
    const commands = literalCommands(example);
    return commands?.every((words) => allowsWords(pattern, words, commands.length === 1)) ?? false;
  }
  const folder = "/workspace";
  const path = example.startsWith("~/") ? `${homedir()}${example.slice(1)}` : example;
  return fitsPath(rule, resolve(folder, path), folder);
}

function warningOf({ decision, tool, command, path }: Rule): string | undefined {
  if (decision !== "allow" || path !== undefined) return undefined;
  if (tool === "*") return "it allows every tool";
  if (tool !== "bash") return undefined;
  const pattern = commandPattern(command);
  if (!pattern?.prefix) return undefined;
  if (pattern.words.length === 0) return "it allows every command that is understood";
  if (!prefixIsUseless(pattern.words)) return undefined;
  return "it covers nothing: what such a command does hangs on words that may be anything. Write exact commands";
}
