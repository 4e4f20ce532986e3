import { isAbsolute, resolve } from "node:path";
import { ConfigError, UsageError } from "./errors.ts";
import { isProvider, providerNames } from "./model-faults.ts";
import { modelOptionsOf, modelTable } from "./model-options.ts";
import type { ProviderKeySource } from "./model-schema.ts";
import { knownProviders } from "./provider-table.ts";
import type { ConfigFile } from "./schema.ts";

/** A model as a session records it. Never holds a key. */
export interface ResolvedModel {
  provider: string;
  /** The endpoint's name of the model; for `scripted` the absolute path of the file. */
  model: string;
  baseUrl?: string;
  /** Tokens, where the configuration tells; then the conversation is compacted before it is full. */
  contextWindow?: number;
  /** Tokens of one answer at most, where the configuration tells; then compaction leaves room for it. */
  maxOutput?: number;
  /** Variable that holds the key on the worker. Absent for endpoints without key and for keys by file or command. */
  keyVariable?: string;
}

const threeWays =
  'tempi init, or name one: --model PROVIDER/MODEL, or export TEMPI_MODEL=PROVIDER/MODEL, or model = "PROVIDER/MODEL" in config.toml';

type ModelConfig = Pick<ConfigFile, "model" | "models" | "providers" | "aliases">;

/**
 * Finds endpoint and key variable of a model's name: an alias, `provider/model`, a bare name of the default provider,
 * or `scripted:FILE` (relative to `cwd`). Without name: `model`. Throws UsageError or ConfigError (exit 2);
 * no message ever holds a key.
 */
export function resolveModel(
  name: string | undefined,
  config: ModelConfig,
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
): ResolvedModel {
  const said = (name ?? config.model ?? "").trim();
  const wanted = own(config.aliases ?? {}, said) ?? said;
  if (wanted === "") throw new UsageError("no model is known", threeWays);
  if (wanted.startsWith("scripted:")) return scripted(wanted.slice("scripted:".length), cwd);

  const slash = wanted.indexOf("/");
  const prefix = slash > 0 ? wanted.slice(0, slash) : undefined;
  // Names of models may hold slashes themselves (`meta-llama/…` on Together): only a known provider is a prefix.
  const named = prefix !== undefined && isProvider(prefix, config) ? prefix : undefined;
  const provider = named ?? defaultProvider(wanted, prefix, config, environment);
  const model = named === undefined ? wanted : wanted.slice(slash + 1);
  if (model === "") throw new UsageError(`"${wanted}" names a provider but no model`, threeWays);
  return withEndpoint(provider, model, config, environment);
}

/** Base URL of a provider, or of one model of it, after configuration and `OPENAI_BASE_URL`; undefined for an unknown one. */
export function baseUrlOf(
  provider: string,
  config: ModelConfig,
  environment: NodeJS.ProcessEnv,
  model?: string,
): string | undefined {
  const ofModel = model === undefined ? undefined : modelTable(provider, model, config)?.base_url;
  if (ofModel) return ofModel;
  if (provider === "openai" && environment.OPENAI_BASE_URL) return environment.OPENAI_BASE_URL;
  return own(config.providers ?? {}, provider)?.base_url ?? own(knownProviders, provider)?.baseUrl;
}

/** Where the key of a provider, or of one model of it, comes from: configuration first, then the customary variable. */
export function keySourceOf(provider: string, config: ModelConfig, model?: string): ProviderKeySource | undefined {
  const ofModel = model === undefined ? undefined : modelTable(provider, model, config)?.key;
  const configured = ofModel ?? own(config.providers ?? {}, provider)?.key;
  if (configured) return configured;
  const variable = own(knownProviders, provider)?.keyVariable;
  return variable === undefined ? undefined : { env: variable };
}

/** Whether a URL points at this machine: endpoints there need no key. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);
}

function scripted(file: string, cwd: string): ResolvedModel {
  if (file === "") throw new UsageError('"scripted:" names no file', "--model scripted:FILE");
  return { provider: "scripted", model: isAbsolute(file) ? file : resolve(cwd, file) };
}

function withEndpoint(
  provider: string,
  model: string,
  config: ModelConfig,
  environment: NodeJS.ProcessEnv,
): ResolvedModel {
  const baseUrl = baseUrlOf(provider, config, environment, model);
  if (baseUrl === undefined) {
    throw new ConfigError(
      `provider ${provider} has no base_url`,
      `add base_url under [providers.${provider}] in config.toml`,
    );
  }
  if (!URL.canParse(baseUrl))
    throw new ConfigError(`the base URL of ${provider} is not a URL`, "check OPENAI_BASE_URL and config.toml");
  const key = keySourceOf(provider, config, model);
  const { contextWindow, maxOutput } = modelOptionsOf(provider, model, config);
  const result: ResolvedModel = {
    provider,
    model,
    baseUrl,
    ...(contextWindow ? { contextWindow } : {}),
    ...(maxOutput ? { maxOutput } : {}),
  };
  if (key === undefined || !("env" in key)) return result;
  const value = environment[key.env];
  if (value === undefined || value === "") {
    if (isLoopback(baseUrl)) return result;
    throw new UsageError(
      `no key for ${provider}: ${key.env} is not set`,
      `export ${key.env}=..., or key = { file = "PATH" } under [providers.${provider}] in config.toml`,
    );
  }
  if (!isCleanKey(value)) {
    throw new ConfigError(
      `${key.env} holds a line break, a quote or a blank, which no key has`,
      `export ${key.env} again, without quotes inside the value`,
    );
  }
  return { ...result, keyVariable: key.env };
}

/** Header values can't hold such characters, and a library's error would print the whole value. */
const isCleanKey = (value: string): boolean => /^[\x21-\x7e]+$/.test(value) && !/["'`]/.test(value);

function defaultProvider(
  wanted: string,
  prefix: string | undefined,
  config: ModelConfig,
  environment: NodeJS.ProcessEnv,
): string {
  const withKey = Object.entries(knownProviders)
    .filter(([, known]) => known.keyVariable !== undefined && environment[known.keyVariable])
    .map(([provider]) => provider);
  const candidates = [...new Set([...withKey, ...Object.keys(config.providers ?? {})])];
  if (candidates.includes("openai") || environment.OPENAI_BASE_URL) return "openai";
  if (candidates.length === 1) return candidates[0]!;
  if (prefix !== undefined && candidates.length === 0) {
    throw new UsageError(
      `unknown provider "${prefix}" in "${wanted}"`,
      `use one of ${providerNames(config).join(", ")}, or add [providers.${prefix}] to config.toml`,
    );
  }
  if (candidates.length === 0) return "openai";
  throw new UsageError(
    `"${wanted}" names no provider, and several could be meant (${candidates.join(", ")})`,
    `--model ${candidates[0]}/${wanted}`,
  );
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
