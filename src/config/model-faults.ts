import { knownProviders } from "./provider-table.ts";
import type { ConfigFile } from "./schema.ts";

export interface ModelFault {
  path: string[];
  text: string;
  next?: string;
}

/** The first thing that is wrong with `[models]`, `[aliases]` and flags, beyond their shape. */
export function modelFault(config: ConfigFile): ModelFault | undefined {
  for (const name of Object.keys(config.models ?? {})) {
    const why = nameFault(name, config);
    if (why) return { path: ["models", name], text: `models."${name}" ${why.text}`, ...why.more };
  }
  for (const [alias, name] of Object.entries(config.aliases ?? {})) {
    const path = ["aliases", alias];
    if (!/^[A-Za-z0-9_.-]+$/.test(alias)) {
      return { path, text: `aliases."${alias}" must be letters, digits, dots, hyphens and underscores` };
    }
    const why = name.startsWith("scripted:") ? undefined : nameFault(name, config);
    if (why) return { path, text: `aliases.${alias}: "${name}" ${why.text}`, ...why.more };
  }
  return patternFault("providers", config.providers) ?? patternFault("models", config.models);
}

function nameFault(name: string, config: ConfigFile): { text: string; more: { next?: string } } | undefined {
  const slash = name.indexOf("/");
  if (slash < 1 || slash === name.length - 1) return { text: "must be PROVIDER/MODEL", more: {} };
  const provider = name.slice(0, slash);
  if (isProvider(provider, config)) return undefined;
  return {
    text: `names the unknown provider "${provider}"`,
    more: { next: `use one of ${providerNames(config).join(", ")}, or add [providers.${provider}]` },
  };
}

function patternFault(table: string, entries: ConfigFile["models"] | ConfigFile["providers"]): ModelFault | undefined {
  for (const [name, { compat }] of Object.entries(entries ?? {})) {
    try {
      new RegExp(compat?.effortModels ?? "", "i");
    } catch (error) {
      const path = [table, name, "compat", "effortModels"];
      return { path, text: `${path.join(".")} is not a regular expression: ${(error as Error).message}` };
    }
  }
  return undefined;
}

/** Providers that a name may begin with: built in, configured, or known by a model that has a base URL of its own. */
export const isProvider = (name: string, config: Pick<ConfigFile, "models" | "providers">): boolean =>
  Object.hasOwn(knownProviders, name) ||
  Object.hasOwn(config.providers ?? {}, name) ||
  Object.entries(config.models ?? {}).some(([key, { base_url }]) => base_url && key.startsWith(`${name}/`));

export const providerNames = (config: Pick<ConfigFile, "providers">): string[] => [
  ...new Set([...Object.keys(knownProviders), ...Object.keys(config.providers ?? {})]),
];
