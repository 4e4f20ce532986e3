import type { TObject, TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { parse, TomlError } from "smol-toml";
import { ConfigError } from "./errors.ts";
import { modelFault } from "./model-faults.ts";
import { ruleFault } from "./rule-shape.ts";
import { type ConfigFile, ConfigSchema, type RuleTable } from "./schema.ts";
import { secretPathsIn } from "./secrets.ts";
import { placeOf } from "./toml-position.ts";

/**
 * Reads the text of a `config.toml`. Throws ConfigError that names file, line and key: nothing of a file that is wrong
 * somewhere is used, because a setting silently ignored (an approval level!) is worse than a command that stops.
 */
export function parseConfig(text: string, file: string): ConfigFile {
  const value = parseToml(text, file);
  checkValue(ConfigSchema, value, text, file);
  const fault = modelFault(value as ConfigFile);
  if (fault) throw new ConfigError(`${placeOf(text, file, fault.path)} ${fault.text}`, fault.next ?? `edit ${file}`);
  return value as ConfigFile;
}

/** Checks parsed TOML. Throws ConfigError that names file, line and key. */
export function checkValue(schema: TSchema, value: Record<string, unknown>, text: string, file: string): void {
  const secret = secretPathsIn(value)[0];
  if (secret) {
    throw new ConfigError(
      `${placeOf(text, file, secret)} ${secret.join(".")} holds a secret key; keys are only named in configuration`,
      `write key = { env = "NAME" }, { file = "PATH" } or { command = "..." } in its place, and consider the key leaked`,
    );
  }
  for (const error of Value.Errors(schema, value)) {
    const path = error.path
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    throw new ConfigError(
      `${placeOf(text, file, path)} ${describe(error, path)}`,
      `edit ${file} (tempi config lists every key)`,
    );
  }
  for (const [index, rule] of ((value.rules as RuleTable[] | undefined) ?? []).entries()) {
    const fault = ruleFault(rule);
    if (!fault) continue;
    const path = ["rules", String(index), fault.key];
    throw new ConfigError(`${placeOf(text, file, path)} ${keyText(path)} ${fault.text}`, `edit ${file}`);
  }
}

export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]!.replace("Invalid TOML document: ", "");
    throw new ConfigError(`${file}:${error.line}:${error.column} is not valid TOML: ${reason}`, `edit ${file}`);
  }
}

function describe(error: ValueError, path: readonly string[]): string {
  const key = keyText(path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${key} is missing`;
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return `unknown key "${key}"${namesBeside(error, path)}`;
  const allowed = error.schema.anyOf as { const?: unknown }[] | undefined;
  if (allowed?.every((one) => typeof one.const === "string")) {
    return `${key} must be one of ${allowed.map((one) => one.const).join(", ")}, not ${shown(error.value)}`;
  }
  if (key === "notify") {
    return `notify must be "on", "off" or a table with terminal, command and url, not ${shown(error.value)}`;
  }
  if (path.at(-2) === "thinking")
    return `${key} must be a text, a whole number or true or false, not ${kindOf(error.value)}`;
  if (allowed)
    return `${key} must be { env = "NAME" }, { file = "PATH" } or { command = "..." }, not ${kindOf(error.value)}`;
  if (key === "timeout") return `timeout must be like 30s, 15m, 2h or 1d, not ${shown(error.value)}`;
  if (key === "budget") return `budget must be dollars above 0, not ${shown(error.value)}`;
  if (key === "server.binary") return `${key} must be an absolute path, not ${shown(error.value)}`;
  if (key === "server.address") return `${key} must be HOST:PORT, not ${shown(error.value)}`;
  if (key === "web.lan") return `${key} must be one IPv4 address of this machine, not ${shown(error.value)}`;
  if (key === "web.public_url") return `${key} must be https://HOST without a path, not ${shown(error.value)}`;
  if (key === "notify.url") return `${key} must be a URL that begins with http:// or https://`;
  if (path.at(-1) === "base_url") return `${key} must be a URL that begins with http:// or https://`;
  return `${key}: ${error.message.toLowerCase()}, not ${shown(error.value)}`;
}

/** The names that a small closed table has: told at once, since nobody knows them by heart. */
function namesBeside({ schema }: ValueError, path: readonly string[]): string {
  if (!["compat", "thinking", "price"].includes(path.at(-2) ?? "")) return "";
  return `; ${path.at(-2)} has ${Object.keys((schema as TObject).properties).join(", ")}`;
}

/** Rules have no name, so people count them. */
const keyText = (path: readonly string[]): string =>
  path[0] === "rules" && path.length > 1
    ? `rule ${Number(path[1]) + 1}${path.length > 2 ? `: ${path.slice(2).join(".")}` : ""}`
    : path.join(".");

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
/** Short values help to find the place; long ones might be something private. */
function shown(value: unknown): string {
  const json = typeof value === "object" ? kindOf(value) : (JSON.stringify(value) ?? String(value));
  return json.length <= 40 ? json : kindOf(value);
}
