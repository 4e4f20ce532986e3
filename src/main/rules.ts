import { realpathSync } from "node:fs";
import type { Rule, RuleSet } from "../agent/rule.ts";
import { ConfigError, isUserError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { projectRules } from "../config/project-rules.ts";
import { repositoryRoot } from "../config/repository.ts";
import { userRules } from "../config/rules.ts";
import { checkRules } from "../policy/check-rules.ts";

/** The configuration with its rules checked by their meaning and examples. Throws ConfigError (exit 2). */
export function loadCheckedConfig(home: Home, options: Parameters<typeof loadConfig>[1] = {}): Config {
  const config = loadConfig(home, options);
  const { warnings } = checked(userRules(home));
  return { ...config, warnings: [...config.warnings, ...warnings] };
}

/** Rules that count in a workspace now. Never throws: what is wrong is its `fault`, which makes everything ask. */
export function rulesOf(home: Home, cwd: string): RuleSet {
  const repository = repositoryRoot(cwd) ?? cwd;
  const notices: string[] = [];
  try {
    const project = projectRules(home, realFolder(cwd));
    notices.push(...project.notices);
    const rules = [...userRules(home), ...project.rules];
    checked(rules);
    return { rules, repository, notices };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    const next = isUserError(error) && error.next ? ` Next: ${error.next}` : "";
    notices.push(`the rules cannot be read, so what changes something asks: ${fault}.${next}`);
    return { rules: [], repository, fault, notices };
  }
}

function checked(rules: readonly Rule[]): { warnings: string[] } {
  const { errors, warnings } = checkRules(rules);
  if (errors[0]) throw new ConfigError(errors[0], "edit that file (tempi rules lists all rules)");
  return { warnings };
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
