import { readFileSync } from "node:fs";
import type { TObject, TRecord, TSchema } from "@sinclair/typebox";
import { parseConfig } from "./check.ts";
import { ConfigError } from "./errors.ts";
import type { Home } from "./home.ts";
import { type ConfigFile, ConfigSchema, configDefaults } from "./schema.ts";
import { checkFileOwners } from "./secrets.ts";

/** Where a value comes from, as `tempi config` prints it: `--approval`, `TEMPI_MODEL`, the file's path, `default`. */
export type Origin = string;

/** All settings after precedence. `origins` names for each dotted key where its value comes from. */
export interface Config {
  values: ConfigFile & Required<Pick<ConfigFile, keyof typeof configDefaults>>;
  origins: Record<string, Origin>;
  /** File that was read or would be. */
  file: string;
  /** Things to tell the person that do not stop anything. */
  warnings: string[];
}

/** Values given on the command line, under the names of the keys. */
export type ConfigFlags = Partial<
  Pick<ConfigFile, "model" | "approval" | "thinking" | "max_turns" | "on_ask" | "notify">
>;

/**
 * Reads the configuration: flags, then TEMPI_MODEL and TEMPI_APPROVAL, then the user's file, then defaults. Nothing of
 * a project's `.tempi/config.toml` is among them: of that only rules that ask or deny count, see project-rules.ts.
 * Throws ConfigError (exit 2).
 */
export function loadConfig(home: Home, options: { environment?: NodeJS.ProcessEnv; flags?: ConfigFlags } = {}): Config {
  const environment = options.environment ?? process.env;
  const fromFile = readConfigFile(home.configFile);
  const layers: [Origin | ((key: string) => Origin), ConfigFile][] = [
    ["default", configDefaults],
    [home.configFile, fromFile],
    [(key) => (key === "approval" ? "TEMPI_APPROVAL" : "TEMPI_MODEL"), fromEnvironment(environment)],
    [(key) => `--${key.replaceAll("_", "-")}`, options.flags ?? {}],
  ];
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [origin, layer] of layers) {
    for (const [key, value] of Object.entries(layer)) {
      if (value === undefined) continue;
      values[key] = value;
      // A table may take the place of a word, and the other way round.
      for (const before of Object.keys(origins)) {
        if (before === key || before.startsWith(`${key}.`)) delete origins[before];
      }
      for (const [leaf] of leavesOf(key, value)) origins[leaf] = typeof origin === "string" ? origin : origin(key);
    }
  }
  return {
    values: values as Config["values"],
    origins,
    file: home.configFile,
    warnings: checkFileOwners(fromFile, home.configFile),
  };
}

/** Dotted keys of a value and their text, for `tempi config`. */
export function configLines(config: Config): { key: string; value: unknown; origin: Origin }[] {
  // By the values themselves: names of models hold dots, so a dotted key cannot be taken apart again.
  const leaves = new Map(Object.entries(config.values).flatMap(([key, value]) => leavesOf(key, value)));
  return Object.entries(config.origins).map(([key, origin]) => ({ key, value: leaves.get(key), origin }));
}

/** Every key that `config.toml` may hold and that has no value, in the order of the schema. */
export function unsetKeys(config: Config): string[] {
  const set = Object.keys(config.origins);
  return knownKeys().filter((key) => {
    // Of these there is a table for each name: once one is there, the person knows what it looks like.
    const known = /^(providers|models)\./.exec(key)?.[1] ?? key;
    return !set.some((one) => one === known || one.startsWith(`${known}.`));
  });
}

/** Dotted names of all keys; NAME stands for one that the person chooses. */
export function knownKeys(schema: TSchema = ConfigSchema, prefix = ""): string[] {
  if (schema.type !== "object") return [prefix];
  const { properties, patternProperties } = schema as Partial<TObject & TRecord>;
  const inner = properties
    ? Object.entries(properties)
    : Object.values(patternProperties ?? {}).map((one) => ["NAME", one] as const);
  // Names that the person chooses for texts, as aliases are, say nothing more than the table's own.
  if (!properties && inner.every(([, one]) => (one as TSchema).type !== "object")) return [prefix];
  // Long lists of details: an error in them names what they have.
  if (/\.(compat|thinking|price)$/.test(prefix)) return [prefix];
  return inner.flatMap(([name, one]) => knownKeys(one as TSchema, prefix === "" ? name : `${prefix}.${name}`));
}

function readConfigFile(file: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`, `ls -l ${file}`);
  }
  return parseConfig(text, file);
}

function fromEnvironment(environment: NodeJS.ProcessEnv): ConfigFile {
  const result: ConfigFile = {};
  if (environment.TEMPI_MODEL) result.model = environment.TEMPI_MODEL;
  const approval = environment.TEMPI_APPROVAL;
  if (approval) {
    if (approval !== "ask" && approval !== "edits" && approval !== "auto") {
      throw new ConfigError(
        `TEMPI_APPROVAL must be one of ask, edits, auto, not "${approval}"`,
        "unset TEMPI_APPROVAL",
      );
    }
    result.approval = approval;
  }
  return result;
}

function leavesOf(key: string, value: unknown): [key: string, value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[key, value]];
  return Object.entries(value).flatMap(([inner, innerValue]) => leavesOf(`${key}.${inner}`, innerValue));
}
