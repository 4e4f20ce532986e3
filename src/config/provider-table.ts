/** What is known of a provider without configuration. */
export interface KnownProvider {
  baseUrl: string;
  /** Variable that holds the key by custom; absent: the endpoint runs on this machine and asks for none. */
  keyVariable?: string;
}

const local = (port: number): KnownProvider => ({ baseUrl: `http://127.0.0.1:${port}/v1` });

/** Built-in providers: a key in its customary variable is enough to use one. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  openai: { baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" },
  gemini: { baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai", keyVariable: "GEMINI_API_KEY" },
  deepseek: { baseUrl: "https://api.deepseek.com/v1", keyVariable: "DEEPSEEK_API_KEY" },
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
  groq: { baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  mistral: { baseUrl: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  xai: { baseUrl: "https://api.x.ai/v1", keyVariable: "XAI_API_KEY" },
  moonshot: { baseUrl: "https://api.moonshot.ai/v1", keyVariable: "MOONSHOT_API_KEY" },
  together: { baseUrl: "https://api.together.xyz/v1", keyVariable: "TOGETHER_API_KEY" },
  fireworks: { baseUrl: "https://api.fireworks.ai/inference/v1", keyVariable: "FIREWORKS_API_KEY" },
  cerebras: { baseUrl: "https://api.cerebras.ai/v1", keyVariable: "CEREBRAS_API_KEY" },
  qwen: { baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", keyVariable: "DASHSCOPE_API_KEY" },
  zai: { baseUrl: "https://api.z.ai/api/paas/v4", keyVariable: "ZAI_API_KEY" },
  ollama: local(11434),
  lmstudio: local(1234),
  vllm: local(8000),
  llamacpp: local(8080),
};
