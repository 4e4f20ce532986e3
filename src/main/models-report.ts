import type { Home } from "../config/home.ts";
import { isLoopback } from "../config/providers.ts";
import { ModelError } from "../providers/contract.ts";
import { nearestNames } from "../providers/nearest-names.ts";
import { hasModel, type ListedModel, listModels } from "../providers/openai-completions/list-models.ts";
import { keyFrom } from "./api-key.ts";
import { listPatienceMs } from "./check-model-name.ts";
import type { ModelEndpoint, NamedModel } from "./model-endpoints.ts";

/** `state`: it lists its models, it answers but lists none, there is no usable key, or it does not answer. */
export interface EndpointReport {
  provider: string;
  baseUrl: string;
  configured: boolean;
  state: "listed" | "unlisted" | "noKey" | "refused" | "unreachable";
  /** What is wrong and what mends it; absent where nothing is. */
  why?: string;
  next?: string;
  /** Those that the configuration names. `exists` is null where the endpoint does not tell. */
  named: (NamedModel & { exists: boolean | null; nearest?: string[] })[];
  /** All others that it lists. */
  others: ListedModel[];
}

/** Asks one endpoint for its models, 2 s at most. */
export async function reportEndpoint(
  home: Home,
  endpoint: ModelEndpoint,
  environment: NodeJS.ProcessEnv,
): Promise<EndpointReport> {
  const { provider, baseUrl, configured, named } = endpoint;
  const unknown = {
    provider,
    baseUrl,
    configured,
    named: named.map((model) => ({ ...model, exists: null })),
    others: [],
  };
  const key = await keyOf(home, endpoint, environment);
  if ("why" in key) return { ...unknown, state: "noKey", ...key };
  const list = await listModels(baseUrl, key.key, listPatienceMs);
  if ("fault" in list) {
    const next = nextStep(list.fault, endpoint);
    return { ...unknown, state: list.fault, why: list.why, ...(next ? { next } : {}) };
  }
  const ids = list.models.map(({ id }) => id);
  return {
    ...unknown,
    state: "listed",
    named: named.map((model) => {
      const exists = hasModel(list.models, model.model);
      const told = list.models.find(({ id }) => id === model.model);
      return { ...told, ...model, exists, ...(exists ? {} : { nearest: nearestNames(model.model, ids, 3) }) };
    }),
    others: list.models.filter(({ id }) => !named.some(({ model }) => hasModel([{ id }], model))),
  };
}

type Key = { key: string | undefined } | { why: string; next: string };

async function keyOf(
  home: Home,
  { provider, baseUrl, source }: ModelEndpoint,
  environment: NodeJS.ProcessEnv,
): Promise<Key> {
  const mend = `key = { file = "PATH" } under [providers.${provider}] in config.toml`;
  try {
    const key = source ? await keyFrom(home, source, environment) : undefined;
    if (key !== undefined || isLoopback(baseUrl)) return { key };
    if (!source) return { why: "no key is configured", next: mend };
    if ("env" in source) return { why: `${source.env} is not set`, next: `export ${source.env}=..., or ${mend}` };
    return { why: "the configured key is empty", next: mend };
  } catch (error) {
    if (error instanceof ModelError) return { why: error.message, next: error.next ?? mend };
    throw error;
  }
}

function nextStep(fault: "unreachable" | "refused" | "unlisted", { provider, baseUrl, source }: ModelEndpoint) {
  if (fault === "unlisted") return undefined;
  if (fault === "refused") {
    const where = source && "env" in source ? source.env : `the key of [providers.${provider}]`;
    return `set ${where} to a key of ${new URL(baseUrl).host}`;
  }
  if (isLoopback(baseUrl)) return `start the server at ${baseUrl}`;
  return `check the network, and base_url under [providers.${provider}] in config.toml`;
}

/** Whether a person has something to mend. A list that is not given is no fault: the model may answer all the same. */
export const needsMending = (report: EndpointReport): boolean =>
  (report.state !== "listed" && report.state !== "unlisted") || report.named.some(({ exists }) => exists === false);
