import { type Static, Type } from "@sinclair/typebox";
import { durationPattern } from "./duration.ts";
import { ModelSchema, ProviderSchema } from "./model-schema.ts";

const strict = { additionalProperties: false };

const oneOf = <const T extends string[]>(...values: T) =>
  Type.Union(values.map((value) => Type.Literal(value as T[number])));

/** Who is told when a session waits: the terminal that follows it, a shell command, a URL. */
const Notify = Type.Object(
  {
    terminal: Type.Optional(oneOf("on", "off")),
    command: Type.Optional(Type.String({ minLength: 1 })),
    url: Type.Optional(Type.String({ pattern: "^https?://[^\\s/]" })),
  },
  strict,
);

/** The web page that `tempi up` starts. */
const Web = Type.Object(
  {
    start: Type.Optional(oneOf("on", "off")),
    port: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 65_535 })),
    /** IPv4 address of this machine, besides loopback. Never all of them at once. */
    lan: Type.Optional(Type.String({ pattern: "^(?!0)\\d{1,3}(\\.\\d{1,3}){3}$" })),
    /** Address of a proxy with TLS in front of the page. */
    public_url: Type.Optional(Type.String({ pattern: "^https://[^\\s/?#]+/?$" })),
  },
  strict,
);

const text = Type.String({ minLength: 1, maxLength: 2_000 });

/** A rule of the approval policy, as `[[rules]]` writes it. */
export const RuleSchema = Type.Object(
  {
    decision: oneOf("allow", "ask", "deny"),
    /** A tool's name, or `*`. */
    tool: Type.String({ pattern: "^(\\*|[A-Za-z0-9_-]{1,64})$" }),
    command: Type.Optional(text),
    path: Type.Optional(text),
    repository: Type.Optional(Type.String({ pattern: "^(/|~/)" })),
    reason: Type.Optional(text),
    /** `30s`, `15m`, `2h`, `1d`. */
    deadline: Type.Optional(Type.String({ pattern: durationPattern })),
    match: Type.Optional(Type.Array(text, { maxItems: 100 })),
    not_match: Type.Optional(Type.Array(text, { maxItems: 100 })),
  },
  strict,
);

export const RulesSchema = Type.Array(RuleSchema, { maxItems: 1_000 });

/** Keys of `config.toml`. */
export const ConfigSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1 })),
    approval: Type.Optional(oneOf("ask", "edits", "auto")),
    approval_proof: Type.Optional(oneOf("on", "off")),
    thinking: Type.Optional(oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max")),
    max_turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    /** Command that must exit with 0 before an answer counts. */
    until: Type.Optional(text),
    /** Of one piece of work: `30s`, `15m`, `2h`, `1d`. */
    timeout: Type.Optional(Type.String({ pattern: durationPattern })),
    /** US dollars of a session. */
    budget: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
    on_ask: Type.Optional(oneOf("park", "deny")),
    /** `"off"` = nothing is told anywhere. */
    notify: Type.Optional(Type.Union([Type.Literal("on"), Type.Literal("off"), Notify])),
    /** Names, or `+name` and `-name`, as `--tools`. */
    tools: Type.Optional(Type.Array(Type.String({ pattern: "^[+-]?[A-Za-z0-9_-]{1,64}$" }))),
    /** Prompts that wait are taken one at a time, or all together. */
    queue: Type.Optional(oneOf("one", "all")),
    /** File that replaces the system prompt's preamble, tools and rules. */
    system_prompt: Type.Optional(Type.String({ minLength: 1 })),
    /** By `provider/model`. */
    models: Type.Optional(Type.Record(Type.String(), ModelSchema)),
    /** Short names, usable wherever a model is named. */
    aliases: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
    server: Type.Optional(
      Type.Object(
        {
          /** Absolute path of the Temporal CLI. */
          binary: Type.Optional(Type.String({ pattern: "^(/|~/)" })),
          temporal_profile: Type.Optional(Type.String({ minLength: 1 })),
          /** `HOST:PORT` of a Temporal server without TLS, instead of this machine's own. */
          address: Type.Optional(Type.String({ pattern: "^[^\\s/]+:[0-9]{1,5}$" })),
          namespace: Type.Optional(Type.String({ minLength: 1 })),
        },
        strict,
      ),
    ),
    web: Type.Optional(Web),
    providers: Type.Optional(Type.Record(Type.String(), ProviderSchema)),
    /** Which calls run, ask or are refused. */
    rules: Type.Optional(RulesSchema),
  },
  strict,
);

/** What `config.toml` may hold, as parsed. */
export type ConfigFile = Static<typeof ConfigSchema>;
/** One table of `[[rules]]`. */
export type RuleTable = Static<typeof RuleSchema>;

/** Values that hold when nobody set another. */
export const configDefaults = {
  approval: "ask",
  approval_proof: "on",
  thinking: "off",
  max_turns: 200,
  on_ask: "park",
  notify: "on",
} as const satisfies ConfigFile;
