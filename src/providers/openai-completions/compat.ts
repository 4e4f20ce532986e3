/** What differs between endpoints that speak chat completions. One table; an unknown host gets the safest flags. */

export const thinkingFormats = [
  "none",
  "effort",
  "deepseek",
  "zai",
  "qwen",
  "template",
  "together",
  "openrouter",
] as const;

export type ThinkingFormat = (typeof thinkingFormats)[number];

export interface CompatFlags {
  /** Field of the output limit. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  /** `stream_options.include_usage` is understood. */
  usageInStream: boolean;
  /** `strict` in a tool's declaration is understood. */
  strictTools: boolean;
  /** `store: false` is understood and needed to keep nothing. */
  store: boolean;
  /**
   * How a thinking level is asked for. `effort` = `reasoning_effort`; `template` = the switch of a chat template, as vLLM, SGLang
   * and llama.cpp take it.
   */
  thinkingFormat: ThinkingFormat;
  /**
   * Part of the name of the models that may be asked for a level; others refuse the request. Case is ignored. Empty: none for
   * `effort`, all for `zai`.
   */
  effortModels: string;
  /** Every assistant message must carry `reasoning_content`, empty if it had none. */
  reasoningContentRequired: boolean;
  /** Tool results carry the tool's name. */
  toolResultName: boolean;
  /** A user message may not follow a tool result directly. */
  assistantAfterToolResult: boolean;
  /** `content: null` beside tool calls is refused; the empty string is not. */
  emptyContentAsText: boolean;
  /** An empty `tools` list is needed when the history has calls and no tool is active. */
  toolsWithHistory: boolean;
  /** Longest call id the endpoint takes back. */
  maximumIdLength: number;
  /** The endpoint takes only ids of exactly nine letters and digits. */
  nineCharacterIds: boolean;
  /** Schemas may hold only types, properties, required, items and enums (C2). */
  schemaSubset: boolean;
  /** The model sees images. */
  images: boolean;
  /** Streams of this host may end without a finish reason. */
  finishReasonOptional: boolean;
}

export const safestFlags: CompatFlags = {
  maxTokensField: "max_tokens",
  usageInStream: true,
  strictTools: false,
  store: false,
  thinkingFormat: "none",
  effortModels: "",
  reasoningContentRequired: false,
  toolResultName: false,
  assistantAfterToolResult: false,
  emptyContentAsText: false,
  toolsWithHistory: false,
  maximumIdLength: 64,
  nineCharacterIds: false,
  schemaSubset: false,
  images: true,
  finishReasonOptional: false,
};

interface KnownEndpoint {
  /** Names of the provider in `provider/model`, in small letters and digits alone. */
  names: string[];
  /** The name alone tells nothing: many servers are reached as "openai" with another base URL. */
  byHostOnly?: boolean;
  /** Host names, each with its subdomains. */
  hosts: string[];
  /** Port by which a server in one's own network is recognised. */
  localPort?: number;
  flags: Partial<CompatFlags>;
}

/** The one family of open models that takes efforts wherever it is served. */
const openEffort: Partial<CompatFlags> = { thinkingFormat: "effort", effortModels: "gpt-oss" };

const knownEndpoints: readonly KnownEndpoint[] = [
  {
    names: ["openai"],
    byHostOnly: true,
    hosts: ["api.openai.com", "openai.azure.com", "services.ai.azure.com"],
    flags: {
      maxTokensField: "max_completion_tokens",
      strictTools: true,
      store: true,
      thinkingFormat: "effort",
      effortModels: "^(o\\d|gpt-([5-9]|\\d\\d))",
      maximumIdLength: 40,
    },
  },
  {
    names: ["deepseek"],
    hosts: ["deepseek.com"],
    flags: { thinkingFormat: "deepseek", reasoningContentRequired: true, images: false },
  },
  {
    names: ["openrouter"],
    hosts: ["openrouter.ai"],
    flags: { thinkingFormat: "openrouter", maximumIdLength: 40 },
  },
  {
    names: ["groq"],
    hosts: ["groq.com"],
    flags: { maxTokensField: "max_completion_tokens", ...openEffort },
  },
  {
    names: ["together", "togetherai"],
    hosts: ["together.xyz", "together.ai"],
    flags: openEffort,
  },
  {
    names: ["mistral", "mistralai"],
    hosts: ["mistral.ai"],
    flags: {
      usageInStream: false,
      toolResultName: true,
      assistantAfterToolResult: true,
      emptyContentAsText: true,
      nineCharacterIds: true,
      maximumIdLength: 9,
    },
  },
  {
    names: ["xai", "grok"],
    hosts: ["x.ai"],
    flags: { thinkingFormat: "effort", effortModels: "grok-3-mini" },
  },
  {
    names: ["moonshot", "moonshotai", "kimi"],
    hosts: ["moonshot.ai", "moonshot.cn", "kimi.com"],
    // A thinking model refuses a history of calls without the field; the empty text is enough.
    flags: { thinkingFormat: "zai", effortModels: "kimi-k2\\.[5-9]", reasoningContentRequired: true },
  },
  {
    names: ["qwen", "dashscope", "alibaba"],
    hosts: ["aliyuncs.com"],
    flags: { thinkingFormat: "qwen" },
  },
  {
    names: ["zai", "zhipu", "zhipuai", "bigmodel"],
    hosts: ["z.ai", "bigmodel.cn"],
    flags: { thinkingFormat: "zai" },
  },
  {
    names: ["gemini", "google"],
    hosts: ["generativelanguage.googleapis.com"],
    flags: { thinkingFormat: "effort", effortModels: "gemini-(2\\.5|[3-9])" },
  },
  { names: ["cerebras"], hosts: ["cerebras.ai"], flags: { maxTokensField: "max_completion_tokens", ...openEffort } },
  { names: ["fireworks"], hosts: ["fireworks.ai"], flags: openEffort },
  { names: ["ollama"], hosts: ["ollama.com"], localPort: 11434, flags: openEffort },
  { names: ["lmstudio"], hosts: [], localPort: 1234, flags: openEffort },
  { names: ["vllm"], hosts: [], localPort: 8000, flags: openEffort },
  { names: ["llamacpp", "llamaserver"], hosts: [], localPort: 8080, flags: openEffort },
];

/** The table's row for a provider's name, whatever its case, hyphens and dots (`LM-Studio`, `llama.cpp`, `z.ai`). */
function endpointNamed(provider: string): KnownEndpoint | undefined {
  const plain = provider.toLowerCase().replace(/[^a-z0-9]/g, "");
  return knownEndpoints.find(({ names, byHostOnly }) => names.includes(plain) && !byHostOnly);
}

function endpointAt(url: URL): KnownEndpoint | undefined {
  const host = hostOf(url);
  return knownEndpoints.find(
    ({ hosts, localPort }) =>
      hosts.some((known) => host === known || host.endsWith(`.${known}`)) ||
      (localPort !== undefined && url.port === String(localPort) && isOwnNetwork(url)),
  );
}

/** Small letters, without the dot that ends a complete name. */
const hostOf = (url: URL): string => url.hostname.toLowerCase().replace(/\.$/, "");

/** This machine, a container beside it, or a private address: where people run models of their own. */
function isOwnNetwork(url: URL): boolean {
  const host = hostOf(url);
  return (
    isLoopback(url) ||
    /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) ||
    /\.(local|lan|internal)$/.test(host) ||
    !/[.:]/.test(host)
  );
}

/** Whether a server is on this machine, so that it needs no key. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Flags of an endpoint: of its host if that is known, else of the provider's name (a proxy), then the overrides. */
export function compatFor(provider: string, url: URL, overrides: Partial<CompatFlags> = {}): CompatFlags {
  const known = endpointAt(url) ?? endpointNamed(provider);
  return { ...safestFlags, ...known?.flags, ...overrides };
}
