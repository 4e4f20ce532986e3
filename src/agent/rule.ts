/** Where a rule stands. `user`: config.toml. `remembered`: rules.toml. `project`: the workspace's own file. */
export interface RuleOrigin {
  kind: "user" | "remembered" | "project";
  /** Absolute path. */
  file: string;
  /** From 1. */
  line?: number;
  /** Number of the rule in its file, from 1. */
  number: number;
}

/** One rule of the approval policy. Deny beats ask beats allow. */
export interface Rule {
  decision: "allow" | "ask" | "deny";
  /** A tool's name, or `*` for all. */
  tool: string;
  /** Words of a command, for bash: exact, or the beginning when it ends in ` *`. */
  command?: string;
  /** Glob for files: absolute (`~/` too), else relative to `repository`, or without one to the workspace. */
  path?: string;
  /** Absolute path; the rule counts only where the workspace or its repository is this folder. */
  repository?: string;
  reason?: string;
  /** Milliseconds after which an unanswered approval counts as denied; ask rules only. */
  deadlineMs?: number;
  /** Examples that the rule must cover, or must not. */
  match: string[];
  notMatch: string[];
  origin: RuleOrigin;
}

/** All rules that count in one workspace. */
export interface RuleSet {
  rules: Rule[];
  /** Absolute path of the folder of the workspace's repository, else of the workspace. */
  repository: string;
  /** Why the rules cannot be read, in words; then nothing that changes something runs unasked. */
  fault?: string;
  /** Things a person should know. */
  notices: string[];
}

/** A rule in one line, as lists and messages show it: `deny bash "curl *"`. */
export function ruleText({ decision, tool, command, path, repository }: Omit<Rule, "origin" | "match" | "notMatch">) {
  const pattern = command ?? path;
  const where = repository === undefined ? "" : ` in ${repository}`;
  return `${decision} ${tool}${pattern === undefined ? "" : ` ${JSON.stringify(pattern)}`}${where}`;
}
