/** What differs between endpoints that speak chat completions. One table; an unknown host gets the safest flags. */

export interface CompatFlags {
  /** Field of the output limit. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  /** `stream_options.include_usage` is understood. */
  usageInStream: boolean;
  /** `strict` in a tool's declaration is understood. */
  strictTools: boolean;
  /** `store: false` is understood and needed to keep nothing. */
  store: boolean;
  /** How a thinking level is asked for. `effort` = `reasoning_effort`. */
  thinkingFormat: "none" | "effort" | "deepseek" | "zai" | "qwen" | "openrouter";
  /** Part of the name of the models that take `reasoning_effort`; others refuse the request. Case is ignored. */
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
  /** The provider's name in `provider/model`. */
  name: string;
  /** The name alone tells nothing: many servers are reached as "openai" with another base URL. */
  byHostOnly?: boolean;
  /** Host names, each with its subdomains. */
  hosts: string[];
  /** Port by which a server on this machine is recognised. */
  localPort?: number;
  flags: Partial<CompatFlags>;
}

const localEffort: Partial<CompatFlags> = { thinkingFormat: "effort", effortModels: "gpt-oss" };

const knownEndpoints: readonly KnownEndpoint[] = [
  {
    name: "openai",
    byHostOnly: true,
    hosts: ["api.openai.com", "openai.azure.com"],
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
    name: "deepseek",
    hosts: ["deepseek.com"],
    flags: { thinkingFormat: "deepseek", reasoningContentRequired: true, images: false },
  },
  {
    name: "openrouter",
    hosts: ["openrouter.ai"],
    flags: { thinkingFormat: "openrouter", maximumIdLength: 40 },
  },
  {
    name: "groq",
    hosts: ["groq.com"],
    flags: { maxTokensField: "max_completion_tokens", ...localEffort },
  },
  {
    name: "together",
    hosts: ["together.xyz", "together.ai"],
    flags: localEffort,
  },
  {
    name: "mistral",
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
    name: "xai",
    hosts: ["x.ai"],
    flags: { thinkingFormat: "effort", effortModels: "grok-3-mini" },
  },
  {
    name: "moonshot",
    hosts: ["moonshot.ai", "moonshot.cn"],
    flags: {},
  },
  {
    name: "qwen",
    hosts: ["aliyuncs.com"],
    flags: { thinkingFormat: "qwen" },
  },
  {
    name: "zai",
    hosts: ["z.ai", "bigmodel.cn"],
    flags: { thinkingFormat: "zai" },
  },
  {
    name: "gemini",
    hosts: ["generativelanguage.googleapis.com"],
    flags: { thinkingFormat: "effort", effortModels: "gemini-(2\\.5|[3-9])" },
  },
  { name: "ollama", hosts: [], localPort: 11434, flags: localEffort },
  { name: "lmstudio", hosts: [], localPort: 1234, flags: localEffort },
  { name: "vllm", hosts: [], localPort: 8000, flags: localEffort },
  { name: "llamacpp", hosts: [], localPort: 8080, flags: localEffort },
];

/** The table's row for a provider's name, whatever its case, hyphens and dots (`LM-Studio`, `llama.cpp`, `z.ai`). */
function endpointNamed(provider: string): KnownEndpoint | undefined {
  const plain = provider.toLowerCase().replace(/[^a-z0-9]/g, "");
  return knownEndpoints.find(({ name, byHostOnly }) => name === plain && !byHostOnly);
}

function endpointAt(url: URL): KnownEndpoint | undefined {
  const host = url.hostname.toLowerCase();
  return knownEndpoints.find(
    ({ hosts, localPort }) =>
      hosts.some((known) => host === known || host.endsWith(`.${known}`)) ||
      (localPort !== undefined && isLoopback(url) && url.port === String(localPort)),
  );
}

/** Whether a server is on this machine, so that it needs no key. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Flags of an endpoint: of its host if that is known, else of the provider's name (a proxy), then the overrides. */
export function compatFor(provider: string, url: URL, overrides: Partial<CompatFlags> = {}): CompatFlags {
  const known = endpointAt(url) ?? endpointNamed(provider);
  return { ...safestFlags, ...known?.flags, ...overrides };
}
