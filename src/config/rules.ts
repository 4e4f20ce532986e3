import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type TObject, Type } from "@sinclair/typebox";
import type { RememberedRule } from "../agent/approval.ts";
import type { Rule, RuleOrigin } from "../agent/rule.ts";
import { checkValue, parseConfig, parseToml } from "./check.ts";
import { milliseconds } from "./duration.ts";
import { ConfigError, UsageError } from "./errors.ts";
import type { Home } from "./home.ts";
import { RulesSchema, type RuleTable } from "./schema.ts";
import { checkFileOwners } from "./secrets.ts";
import { lineOfKey } from "./toml-position.ts";

const RulesFile: TObject = Type.Object({ rules: Type.Optional(RulesSchema) }, { additionalProperties: false });

const header = `# Written by tempi: what was allowed for a repository from an approval.
# tempi rules lists these, tempi rules --forget NUMBER takes one back. Rules of your own belong in config.toml.
`;

/** Rules that approvals wrote, beside `config.toml`. */
export const rememberedFileOf = (home: Home): string => join(dirname(home.configFile), "rules.toml");

/** The user's rules: those of `config.toml`, then the remembered ones. Throws ConfigError (exit 2). */
export function userRules(home: Home): Rule[] {
  const configured = readText(home.configFile);
  if (configured !== undefined) checkFileOwners({}, home.configFile);
  const own =
    configured === undefined
      ? []
      : rulesIn(parseConfig(configured, home.configFile).rules, configured, home.configFile, "user");
  return [...own, ...rememberedRules(home)];
}

/** Rules of `rules.toml`. */
function rememberedRules(home: Home): Rule[] {
  const file = rememberedFileOf(home);
  const text = readText(file);
  if (text === undefined) return [];
  checkFileOwners({}, file);
  return rulesIn(tablesOf(text, file), text, file, "remembered");
}

/** Rules in parsed tables, with the place of each. */
export function rulesIn(
  tables: readonly RuleTable[] | undefined,
  text: string,
  file: string,
  kind: RuleOrigin["kind"],
): Rule[] {
  return (tables ?? []).map((table, index) => {
    const { decision, tool, command, path, reason, deadline, repository } = table;
    const line = lineOfKey(text, ["rules", String(index)]);
    return {
      decision,
      tool,
      ...(command === undefined ? {} : { command }),
      ...(path === undefined ? {} : { path }),
      ...(repository === undefined ? {} : { repository: absolute(repository) }),
      ...(reason === undefined ? {} : { reason }),
      ...(deadline === undefined ? {} : { deadlineMs: milliseconds(deadline) }),
      match: table.match ?? [],
      notMatch: table.not_match ?? [],
      origin: { kind, file, number: index + 1, ...(line === undefined ? {} : { line }) },
    };
  });
}

/**
 * Adds what a person allowed for a repository to `rules.toml`, once. Two writers at the same moment: each writes a whole
 * file, the later one stands.
 * @returns whether it was new
 */
export function addRememberedRule(home: Home, rule: RememberedRule): boolean {
  const file = rememberedFileOf(home);
  const tables = tablesOf(readText(file) ?? "", file);
  const added: RuleTable = {
    decision: "allow",
    tool: rule.tool,
    ...(rule.command === undefined ? {} : { command: rule.command }),
    ...(rule.path === undefined ? {} : { path: rule.path }),
    repository: rule.repository,
  };
  const text = JSON.stringify(added);
  if (tables.some((table) => JSON.stringify(table) === text)) return false;
  write(file, [...tables, added]);
  return true;
}

/** Takes back the rule of `rules.toml` with this number (from 1 in that file). */
export function forgetRememberedRule(home: Home, number: number): void {
  const file = rememberedFileOf(home);
  const tables = tablesOf(readText(file) ?? "", file);
  if (!tables[number - 1]) throw new UsageError(`${file} has no rule ${number}`, "tempi rules");
  write(
    file,
    tables.filter((_table, index) => index !== number - 1),
  );
}

function write(file: string, tables: readonly RuleTable[]): void {
  const blocks = tables.map(
    (table) =>
      `[[rules]]\n${Object.entries(table)
        .map(([key, value]) => `${key} = ${tomlText(value)}\n`)
        .join("")}`,
  );
  const text = [header, ...blocks].join("\n");
  // A file that could not be read back would make everything ask.
  tablesOf(text, file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/** JSON's texts and lists are TOML's too, but for the one character that TOML wants escaped as well. */
const tomlText = (value: unknown): string => JSON.stringify(value).replaceAll("\u007F", "\\u007F");

function tablesOf(text: string, file: string): RuleTable[] {
  const value = parseToml(text, file);
  checkValue(RulesFile, value, text, file);
  return (value.rules as RuleTable[] | undefined) ?? [];
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`, `ls -l ${file}`);
  }
}

function absolute(path: string): string {
  const full = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  try {
    return realpathSync(full);
  } catch {
    return full;
  }
}
