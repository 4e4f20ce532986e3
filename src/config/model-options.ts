import type { ModelTable } from "./model-schema.ts";
import type { ConfigFile } from "./schema.ts";

/** What the configuration says of a model besides its address and key. What is absent nobody told. */
export interface ModelOptions {
  /** Flags over those that are known of the endpoint's host: the model's own over its provider's. */
  compat: NonNullable<ModelTable["compat"]>;
  /** What the endpoint takes for each level that the model has. */
  thinking?: NonNullable<ModelTable["thinking"]>;
  /** US dollars per million tokens. */
  price?: NonNullable<ModelTable["price"]>;
  /** Tokens of input and output together. */
  contextWindow?: number;
  /** Tokens of one answer at most. */
  maxOutput?: number;
}

type Tables = Pick<ConfigFile, "models" | "providers">;

export function modelOptionsOf(provider: string, model: string, config: Tables): ModelOptions {
  const own = modelTable(provider, model, config);
  const ofProvider =
    config.providers && Object.hasOwn(config.providers, provider) ? config.providers[provider] : undefined;
  return {
    compat: {
      ...ofProvider?.compat,
      ...own?.compat,
      ...(own?.vision === undefined ? {} : { images: own.vision }),
    },
    ...(own?.thinking ? { thinking: own.thinking } : {}),
    ...(own?.price ? { price: own.price } : {}),
    ...(own?.context_window ? { contextWindow: own.context_window } : {}),
    ...(own?.max_output ? { maxOutput: own.max_output } : {}),
  };
}

/** The model's own table; undefined where the configuration has none. */
export function modelTable(
  provider: string,
  model: string,
  { models }: Pick<Tables, "models">,
): ModelTable | undefined {
  const name = `${provider}/${model}`;
  return models && Object.hasOwn(models, name) ? models[name] : undefined;
}
