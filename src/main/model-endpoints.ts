import { isProvider } from "../config/model-faults.ts";
import type { ModelOptions } from "../config/model-options.ts";
import { modelOptionsOf } from "../config/model-options.ts";
import type { ProviderKeySource } from "../config/model-schema.ts";
import { knownProviders } from "../config/provider-table.ts";
import { baseUrlOf, keySourceOf, resolveModel } from "../config/providers.ts";
import type { ConfigFile } from "../config/schema.ts";

/** A model that the configuration names somewhere. */
export interface NamedModel extends Omit<ModelOptions, "compat"> {
  model: string;
  aliases: string[];
  /** Asked where no flag names another. */
  isDefault: boolean;
}

/** Where to ask for models: a provider, or those of its models that have an address or key of their own. */
export interface ModelEndpoint {
  provider: string;
  baseUrl: string;
  source: ProviderKeySource | undefined;
  /** Whether the configuration speaks of it; others are there because a key is set or they would be on this machine. */
  configured: boolean;
  named: NamedModel[];
}

export interface ModelEndpoints {
  endpoints: ModelEndpoint[];
  /** Built-in providers that a key would open. */
  withoutKey: { provider: string; variable: string }[];
  /** What is wrong with the name of the model to ask. */
  fault?: Error;
}

/** All endpoints that this configuration and environment can ask, in the order of their names. */
export function modelEndpoints(config: ConfigFile, environment: NodeJS.ProcessEnv): ModelEndpoints {
  const endpoints = new Map<string, ModelEndpoint>();
  const withoutKey: ModelEndpoints["withoutKey"] = [];
  const endpointOf = (provider: string, model?: string): ModelEndpoint | undefined => {
    const baseUrl = baseUrlOf(provider, config, environment, model);
    if (baseUrl === undefined) return undefined;
    const source = keySourceOf(provider, config, model);
    const id = JSON.stringify([provider, baseUrl, source]);
    const found = endpoints.get(id) ?? { provider, baseUrl, source, configured: false, named: [] };
    endpoints.set(id, found);
    return found;
  };
  const { named, fault } = namedModels(config, environment);
  for (const { provider, ...model } of named) {
    const endpoint = endpointOf(provider, model.model);
    if (!endpoint) continue;
    endpoint.configured = true;
    endpoint.named.push(model);
  }
  for (const provider of Object.keys(config.providers ?? {})) {
    const endpoint = endpointOf(provider);
    if (endpoint) endpoint.configured = true;
  }
  for (const [provider, { keyVariable }] of Object.entries(knownProviders)) {
    const open = keyVariable === undefined || environment[keyVariable];
    const elsewhere = provider === "openai" && environment.OPENAI_BASE_URL;
    if (open || elsewhere) endpointOf(provider);
    else if (![...endpoints.values()].some((endpoint) => endpoint.provider === provider)) {
      withoutKey.push({ provider, variable: keyVariable });
    }
  }
  const sorted = [...endpoints.values()].sort(
    (a, b) => Number(b.configured) - Number(a.configured) || a.provider.localeCompare(b.provider, "en"),
  );
  return { endpoints: sorted, withoutKey, ...(fault ? { fault } : {}) };
}

/** Models that have a table, an alias, or are the default. */
function namedModels(config: ConfigFile, environment: NodeJS.ProcessEnv) {
  const named = new Map<string, NamedModel & { provider: string }>();
  const add = (provider: string, model: string): NamedModel => {
    const name = `${provider}/${model}`;
    const { compat: _compat, ...options } = modelOptionsOf(provider, model, config);
    const entry = named.get(name) ?? { provider, model, aliases: [], isDefault: false, ...options };
    named.set(name, entry);
    return entry;
  };
  const addName = (name: string): NamedModel | undefined => {
    const slash = name.indexOf("/");
    const provider = name.slice(0, slash);
    return slash > 0 && isProvider(provider, config) ? add(provider, name.slice(slash + 1)) : undefined;
  };
  for (const name of Object.keys(config.models ?? {})) addName(name);
  for (const [alias, name] of Object.entries(config.aliases ?? {})) addName(name)?.aliases.push(alias);
  const fault = addDefault();
  return { named: [...named.values()], fault };

  function addDefault(): Error | undefined {
    const wanted = config.model;
    if (wanted === undefined) return undefined;
    const aliases = config.aliases ?? {};
    const whole = addName(Object.hasOwn(aliases, wanted) ? aliases[wanted]! : wanted);
    if (whole) whole.isDefault = true;
    else {
      try {
        const { provider, model } = resolveModel(wanted, config, environment);
        if (provider !== "scripted") add(provider, model).isDefault = true;
      } catch (error) {
        return error as Error;
      }
    }
    return undefined;
  }
}
