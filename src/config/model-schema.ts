import { type Static, Type } from "@sinclair/typebox";

const strict = { additionalProperties: false };

const oneOf = <const T extends string[]>(...values: T) =>
  Type.Union(values.map((value) => Type.Literal(value as T[number])));

/** How a provider's key is found on the worker: always a name, never the key. */
export const KeySource = Type.Union([
  Type.Object({ env: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }) }, strict),
  Type.Object({ file: Type.String({ minLength: 1 }) }, strict),
  Type.Object({ command: Type.String({ minLength: 1 }) }, strict),
]);

/**
 * Flags of an endpoint, under the names of `CompatFlags` in src/providers/openai-completions/compat.ts, which tells what each
 * means. This folder may not import that one: a test holds the two together.
 */
export const CompatSchema = Type.Partial(
  Type.Object(
    {
      maxTokensField: oneOf("max_tokens", "max_completion_tokens"),
      usageInStream: Type.Boolean(),
      strictTools: Type.Boolean(),
      store: Type.Boolean(),
      thinkingFormat: oneOf("none", "effort", "deepseek", "zai", "qwen", "template", "together", "openrouter"),
      effortModels: Type.String({ maxLength: 200 }),
      reasoningContentRequired: Type.Boolean(),
      toolResultName: Type.Boolean(),
      assistantAfterToolResult: Type.Boolean(),
      emptyContentAsText: Type.Boolean(),
      toolsWithHistory: Type.Boolean(),
      maximumIdLength: Type.Integer({ minimum: 1 }),
      nineCharacterIds: Type.Boolean(),
      schemaSubset: Type.Boolean(),
      images: Type.Boolean(),
      finishReasonOptional: Type.Boolean(),
    },
    strict,
  ),
);

/** What the endpoint takes for one of our levels: a name, a budget in tokens, or on and off. */
const ThinkingValue = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Integer({ minimum: 0 }),
  Type.Boolean(),
]);

/** The levels a model has. Those that are not named it does not have. */
const ThinkingMap = Type.Partial(
  Type.Object(
    {
      off: ThinkingValue,
      minimal: ThinkingValue,
      low: ThinkingValue,
      medium: ThinkingValue,
      high: ThinkingValue,
      xhigh: ThinkingValue,
      max: ThinkingValue,
    },
    strict,
  ),
);

const dollars = Type.Number({ minimum: 0 });

/** US dollars per million tokens. A cache price that is not given is that of input. */
const Price = Type.Object(
  { input: dollars, output: dollars, cache_read: Type.Optional(dollars), cache_write: Type.Optional(dollars) },
  strict,
);

const baseUrl = Type.String({ pattern: "^https?://" });

/** `[providers.NAME]` */
export const ProviderSchema = Type.Object(
  { base_url: Type.Optional(baseUrl), key: Type.Optional(KeySource), compat: Type.Optional(CompatSchema) },
  strict,
);

/** `[models."PROVIDER/MODEL"]`: what is known of one model, and where it differs from its provider. */
export const ModelSchema = Type.Object(
  {
    /** Tokens of input and output together. */
    context_window: Type.Optional(Type.Integer({ minimum: 1_000 })),
    /** Tokens of one answer at most. */
    max_output: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Whether it sees images. */
    vision: Type.Optional(Type.Boolean()),
    thinking: Type.Optional(ThinkingMap),
    price: Type.Optional(Price),
    compat: Type.Optional(CompatSchema),
    base_url: Type.Optional(baseUrl),
    key: Type.Optional(KeySource),
  },
  strict,
);

export type ModelTable = Static<typeof ModelSchema>;
/** Where a provider's key comes from: a variable, a file or a command; resolved on the worker. */
export type ProviderKeySource = Static<typeof KeySource>;
