import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { patch } from "@decimalturn/toml-patch";
import { parse } from "smol-toml";
import { ConfigError } from "../../config/errors.ts";
import type { ProviderKeySource } from "../../config/model-schema.ts";
import type { ConfigFile } from "../../config/schema.ts";

/** What `init` found out and writes down. */
export interface Choice {
  provider: string;
  /** The endpoint's name of the model. */
  model: string;
  /** Where it is not the built-in one. */
  baseUrl?: string;
  /** Where it is not the customary variable. */
  source?: ProviderKeySource;
}

/** Where a pasted key is kept, beside the configuration. */
export const keyFileOf = (configFile: string, provider: string): string => join(dirname(configFile), "keys", provider);

/** Writes a key that nobody else may read. */
export function saveKey(file: string, key: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  chmodSync(dirname(file), 0o700);
  replace(file, `${key}\n`);
}

/** Brings the choice into the configuration; comments and everything else stay as they are. */
export function saveChoice(configFile: string, choice: Choice): void {
  mkdirSync(dirname(configFile), { recursive: true, mode: 0o700 });
  // A link, as managers of dot files make them, stays one.
  const file = existsSync(configFile) ? realpathSync(configFile) : configFile;
  replace(file, withChoice(existsSync(file) ? readFileSync(file, "utf8") : "", choice));
}

/** The text of a configuration with the choice in it. Throws ConfigError where it cannot be brought in. */
export function withChoice(text: string, choice: Choice): string {
  const before = parse(text) as ConfigFile;
  const wanted = merged(before, choice);
  const { [choice.provider]: table, ...others } = wanted.providers ?? {};
  const isNew = table && !Object.hasOwn(before.providers ?? {}, choice.provider);
  // A table at the end is what a person would write; the library puts a dotted key at the top.
  const ways = isNew ? [() => `${patched(text, withProviders(wanted, others))}\n${tableText(choice)}`] : [];
  for (const way of [...ways, () => patched(text, wanted)]) {
    const result = way().replace(/^\n+/, "");
    if (holds(result, wanted)) return result;
  }
  const next = `add to it:\nmodel = ${JSON.stringify(wanted.model)}\n${tableText(choice)}`;
  throw new ConfigError("the configuration is written in a way that init cannot add to", next.trimEnd());
}

const patched = (text: string, wanted: ConfigFile): string => `${patch(text, wanted).trimEnd()}\n`;

function holds(text: string, wanted: ConfigFile): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** As a person would write it. Texts of JSON are texts of TOML, too. */
function tableText({ provider, baseUrl, source }: Choice): string {
  const key = Object.entries(source ?? {}).map(([kind, name]) => `key = { ${kind} = ${JSON.stringify(name)} }\n`);
  const url = baseUrl ? `base_url = ${JSON.stringify(baseUrl)}\n` : "";
  return `[providers.${provider}]\n${url}${key.join("")}`;
}

function merged(before: ConfigFile, { provider, model, baseUrl, source }: Choice): ConfigFile {
  const { key: _key, base_url: _url, ...rest } = before.providers?.[provider] ?? {};
  const table = { ...(baseUrl ? { base_url: baseUrl } : {}), ...(source ? { key: source } : {}), ...rest };
  const { [provider]: _, ...others } = before.providers ?? {};
  const providers = Object.keys(table).length > 0 ? { ...others, [provider]: table } : others;
  return withProviders({ ...before, model: `${provider}/${model}` }, providers);
}

function withProviders(config: ConfigFile, providers: NonNullable<ConfigFile["providers"]>): ConfigFile {
  const { providers: _, ...rest } = config;
  return Object.keys(providers).length > 0 ? { ...rest, providers } : rest;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function replace(file: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
