import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Home } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import type { ProviderKeySource } from "../config/model-schema.ts";
import { baseUrlOf, isLoopback, keySourceOf } from "../config/providers.ts";
import { configuredPath } from "../config/secrets.ts";
import type { ModelSettings } from "../protocol/session.ts";
import { ModelError } from "../providers/contract.ts";

const run = promisify(execFile);
const commandPatienceMs = 30_000;

/**
 * The key of a model's provider, found anew for each request so that a changed file or a fresh token counts at once.
 * Undefined where none is configured (endpoints on this machine need none). Errors name the source, never the key.
 * @throws ModelError of kind `auth`, which blocks the turn for a person
 */
export async function apiKeyFor(home: Home, model: ModelSettings): Promise<string | undefined> {
  if (model.provider === "scripted") return undefined;
  const source =
    keySourceOf(model.provider, loadConfig(home).values, model.model) ??
    (model.keyVariable ? { env: model.keyVariable } : undefined);
  if (!source) return undefined;
  refuseOtherEndpoint(home, model);
  return await keyFrom(home, source, process.env);
}

/** The key of a source, trimmed; undefined where there is none. Throws `ModelError` of kind `auth` for one that can't be read or is none. */
export async function keyFrom(
  home: Home,
  source: ProviderKeySource,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const key = (await readKey(home, source, environment))?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError("auth", `the key from ${nameOf(source)} holds a line break or a blank, which no key has`);
  }
  return key || undefined;
}

/** A key goes to the endpoint it is configured for: a session that names another one must not carry it there. */
function refuseOtherEndpoint(home: Home, { provider, model, baseUrl }: ModelSettings): void {
  const configured = baseUrlOf(provider, loadConfig(home).values, process.env, model);
  if (!baseUrl || !configured || sameEndpoint(baseUrl, configured) || isLoopback(baseUrl)) return;
  throw new ModelError("auth", `the key of ${provider} is for ${configured} and is not sent to ${baseUrl}`, {
    next: "tempi restart (takes this terminal's variables), then tempi retry",
  });
}

const sameEndpoint = (a: string, b: string): boolean => a.replace(/\/+$/, "") === b.replace(/\/+$/, "");

async function readKey(
  home: Home,
  source: ProviderKeySource,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if ("env" in source) return environment[source.env];
  try {
    if ("file" in source) return await readFile(configuredPath(source.file, home.configFile), "utf8");
    return (await run("/bin/sh", ["-c", source.command], { timeout: commandPatienceMs })).stdout;
  } catch (error) {
    // The message of a failed command repeats its output, which may be the key.
    const why =
      "file" in source ? (error as Error).message : `exit code ${(error as { code?: unknown }).code ?? "unknown"}`;
    throw new ModelError("auth", `the key cannot be read from ${nameOf(source)}: ${why}`, { next: "tempi doctor" });
  }
}

const nameOf = (source: ProviderKeySource): string => {
  if ("env" in source) return `the variable ${source.env}`;
  return "file" in source ? `the file ${source.file}` : "the configured command";
};
