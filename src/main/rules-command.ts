import { type Rule, ruleText } from "../agent/rule.ts";
import { UsageError } from "../config/errors.ts";
import { projectRules } from "../config/project-rules.ts";
import { forgetRememberedRule, userRules } from "../config/rules.ts";
import { checkRules } from "../policy/check-rules.ts";
import type { MachineContext } from "./machine-commands.ts";
import { workingFolder } from "./working-folder.ts";

/** `tempi rules`: every rule that counts here, numbered; `--forget NUMBER` takes back one that an approval wrote. */
export function rulesCommand(context: MachineContext, flags: { forget?: number }): void {
  const project = projectRules(context.home, workingFolder(context.environment));
  const rules = [...userRules(context.home), ...project.rules];
  if (flags.forget !== undefined) {
    forget(context, rules, flags.forget);
    return;
  }
  for (const [index, rule] of rules.entries()) context.write(`${index + 1}  ${lineOf(rule)}\n`);
  if (rules.length === 0) context.say(`no rules; they are written in ${context.home.configFile} (docs/rules.md)`);
  const { errors, warnings } = checkRules(rules);
  for (const text of [...errors, ...warnings, ...project.notices]) context.say(`warning: ${text}`);
}

function forget(context: MachineContext, rules: readonly Rule[], number: number): void {
  const rule = rules[number - 1];
  if (!rule) throw new UsageError(`there is no rule ${number}`, "tempi rules");
  const { kind, file, line } = rule.origin;
  if (kind !== "remembered") {
    throw new UsageError(
      `rule ${number} is not one of tempi's own`,
      `edit ${file}${line === undefined ? "" : `, line ${line}`}`,
    );
  }
  forgetRememberedRule(context.home, rule.origin.number);
  context.say(`taken back: ${ruleText(rule)}. It counts from the next call on`);
}

function lineOf(rule: Rule): string {
  const { file, line } = rule.origin;
  const deadline = rule.deadlineMs === undefined ? "" : `, denied after ${rule.deadlineMs / 1000} s`;
  const reason = rule.reason === undefined ? "" : ` (${rule.reason})`;
  return `${ruleText(rule)}${deadline}${reason}  ${file}${line === undefined ? "" : `:${line}`}`;
}
