import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import type { Rule } from "../agent/rule.ts";
import { checkValue, parseToml } from "./check.ts";
import { ConfigError } from "./errors.ts";
import type { Home } from "./home.ts";
import { rulesIn } from "./rules.ts";
import { RulesSchema, type RuleTable } from "./schema.ts";
import { isTrusted } from "./trust.ts";

const ProjectRules = Type.Object({ rules: Type.Optional(RulesSchema) }, { additionalProperties: false });

/** A workspace's own settings: of them only rules that ask or deny count, and only once trusted. */
export const projectFileOf = (workspace: string): string => join(workspace, ".tempi", "config.toml");

export interface ProjectRules {
  rules: Rule[];
  /** What was not read or does not count, in words. */
  notices: string[];
}

/** Rules of a workspace's file, where this very content was trusted. Throws ConfigError when what was trusted is wrong. */
export function projectRules(home: Home, workspace: string): ProjectRules {
  const file = projectFileOf(workspace);
  const content = readContent(file);
  if (!content) return { rules: [], notices: [] };
  if (!isTrusted(home, file, content.hash)) {
    return {
      rules: [],
      notices: [`${file} is not trusted (or changed since) and was not read. Next: tempi trust ${workspace}`],
    };
  }
  return parseProjectRules(content.text, file);
}

/** The same for a text. */
export function parseProjectRules(text: string, file: string): ProjectRules {
  const { rules: tables, ...others } = parseToml(text, file);
  const value = tables === undefined ? {} : { rules: tables };
  checkValue(ProjectRules, value, text, file);
  const all = rulesIn(tables as RuleTable[] | undefined, text, file, "project");
  const rules = all.filter(({ decision }) => decision !== "allow");
  const allowing = all.filter(({ decision }) => decision === "allow").map(({ origin }) => origin.number);
  const ignored = [
    ...Object.keys(others).map((key) => JSON.stringify(key)),
    ...(allowing.length > 0
      ? [`${allowing.length === 1 ? "rule" : "rules"} ${allowing.join(", ")}, which would allow`]
      : []),
  ];
  const notices =
    ignored.length > 0 ? [`of ${file} only rules that ask or deny count; ignored: ${ignored.join(", ")}`] : [];
  return { rules, notices };
}

/** A repository may hold anything under this name: a link to a device without an end, a pipe that nobody writes to. Bytes. */
const maximumBytes = 256 * 1024;

/** The file and the hash that trusting it covers; undefined when there is none. */
export function readContent(file: string): { text: string; hash: string } | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > maximumBytes) {
      throw new ConfigError(`${file} is not a file of at most ${maximumBytes / 1024} KB`, `ls -lL ${file}`);
    }
    const text = readFileSync(file);
    return { text: text.toString("utf8"), hash: createHash("sha256").update(text).digest("hex") };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`cannot read ${file}: ${message}`, `ls -l ${file}`);
  }
}
