import { createHash } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import type { Config } from "../config/load.ts";
import { modelTable } from "../config/model-options.ts";
import { keySourceOf } from "../config/providers.ts";
import type { ModelSettings } from "../protocol/session.ts";
import { nearestNames } from "../providers/nearest-names.ts";
import { hasModel, listModels } from "../providers/openai-completions/list-models.ts";
import { keyFrom } from "./api-key.ts";

/** Milliseconds an endpoint has to list its models. */
export const listPatienceMs = 2_000;
const rememberedMs = 24 * 60 * 60 * 1_000;

/**
 * Whether the endpoint knows the model, before a session exists. Takes 2 s at most, and nothing for a name that was found in the
 * last day; an endpoint that does not list its models in that time is not asked further, and neither is one whose model
 * has a table in the configuration: a person said that it exists.
 * @throws UsageError (exit 2) for a name that the endpoint does not list, with the nearest three
 */
export async function checkModelName(
  home: Home,
  model: ModelSettings,
  values: Config["values"],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { provider, baseUrl } = model;
  if (provider === "scripted" || !baseUrl || modelTable(provider, model.model, values)) return;
  const found = foundBefore(home, `${baseUrl}\n${model.model}`);
  if (found.is()) return;
  const models = await listWithin(home, model, baseUrl, values, environment);
  if (!models) return;
  if (hasModel(models, model.model)) {
    found.remember();
    return;
  }
  const ids = models.map(({ id }) => id);
  const nearest = nearestNames(model.model, ids, 3).map((name) => `${provider}/${name}`);
  throw new UsageError(
    `${new URL(baseUrl).host} has no model "${model.model}"; the nearest are ${nearest.join(", ")}`,
    `tempi models (or [models."${provider}/${model.model}"] in config.toml, if it exists all the same)`,
  );
}

/** The endpoint's list; undefined where it, or the command that gives the key, takes longer than it may, or there is none. */
async function listWithin(
  home: Home,
  { provider, model }: ModelSettings,
  baseUrl: string,
  values: Config["values"],
  environment: NodeJS.ProcessEnv,
) {
  const ask = async () => {
    const source = keySourceOf(provider, values, model);
    const key = source ? await keyFrom(home, source, environment) : undefined;
    const list = await listModels(baseUrl, key, listPatienceMs);
    return "models" in list ? list.models : undefined;
  };
  const patience = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => patience.resolve(undefined), listPatienceMs);
  // What is wrong with a key is told by whoever needs it.
  const models = await Promise.race([ask().catch(() => undefined), patience.promise]);
  clearTimeout(timer);
  return models;
}

/** Whether a name was found in the last day: an empty file for each. */
function foundBefore(home: Home, name: string) {
  const folder = join(home.cache, "models");
  const file = join(folder, createHash("sha256").update(name).digest("hex").slice(0, 32));
  return {
    is: (): boolean => {
      const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      return age >= 0 && age < rememberedMs;
    },
    remember: (): void => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, "");
      } catch {
        // Only time is lost.
      }
    },
  };
}
