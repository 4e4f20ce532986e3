// Pure unit tests: which flags an endpoint gets (C4, pi-behaviours 2.10), and what they make of a thinking level (2.9–2.12).
import { describe, expect, it, test } from "vitest";
import {
  type CompatFlags,
  compatFor,
  safestFlags,
  thinkingFormats,
} from "../../src/providers/openai-completions/compat.ts";
import { thinkingFields } from "../../src/providers/openai-completions/thinking.ts";

const at = (address: string, provider = "mine", overrides: Partial<CompatFlags> = {}) =>
  compatFor(provider, new URL(address), overrides);

const openEffort: Partial<CompatFlags> = { thinkingFormat: "effort", effortModels: "gpt-oss" };
const hosts: [string, string[], string[], Partial<CompatFlags>][] = [
  [
    "OpenAI",
    [],
    ["https://api.openai.com/v1", "https://eu.api.openai.com/v1", "https://me.openai.azure.com/openai/v1"],
    { maxTokensField: "max_completion_tokens", store: true, strictTools: true, thinkingFormat: "effort" },
  ],
  [
    "DeepSeek",
    ["deepseek", "DeepSeek", "deep-seek"],
    ["https://api.deepseek.com", "https://API.DEEPSEEK.COM/v1", "https://api.deepseek.com./v1"],
    { thinkingFormat: "deepseek", reasoningContentRequired: true, maxTokensField: "max_tokens", store: false },
  ],
  ["OpenRouter", ["openrouter", "OpenRouter"], ["https://openrouter.ai/api/v1"], { thinkingFormat: "openrouter" }],
  ["Groq", ["groq"], ["https://api.groq.com/openai/v1"], { maxTokensField: "max_completion_tokens", store: false }],
  ["Together", ["together", "TogetherAI"], ["https://api.together.xyz/v1", "https://api.together.ai/v1"], openEffort],
  [
    "Mistral",
    ["mistral", "mistralai"],
    ["https://api.mistral.ai/v1", "https://codestral.mistral.ai/v1"],
    { usageInStream: false, nineCharacterIds: true, assistantAfterToolResult: true, toolResultName: true },
  ],
  ["xAI", ["xai", "x.ai", "Grok"], ["https://api.x.ai/v1"], { effortModels: "grok-3-mini" }],
  [
    "Moonshot",
    ["moonshot", "moonshotai", "kimi"],
    ["https://api.moonshot.ai/v1", "https://api.moonshot.cn/v1", "https://api.kimi.com/coding/v1"],
    { reasoningContentRequired: true, thinkingFormat: "zai" },
  ],
  [
    "Qwen",
    ["qwen", "DashScope"],
    ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com/compatible-mode/v1"],
    { thinkingFormat: "qwen" },
  ],
  [
    "Z.ai",
    ["zai", "z.ai", "Zhipu"],
    ["https://api.z.ai/api/paas/v4", "https://open.bigmodel.cn/api/paas/v4"],
    { thinkingFormat: "zai" },
  ],
  ["Gemini", ["gemini"], ["https://generativelanguage.googleapis.com/v1beta/openai"], { thinkingFormat: "effort" }],
  ["Cerebras", ["cerebras"], ["https://api.cerebras.ai/v1"], { maxTokensField: "max_completion_tokens" }],
  ["Fireworks", ["fireworks"], ["https://api.fireworks.ai/inference/v1"], openEffort],
  ["Ollama", ["ollama"], ["http://127.0.0.1:11434/v1", "http://ollama:11434/v1", "https://ollama.com/v1"], openEffort],
  ["LM Studio", ["lmstudio", "LM-Studio"], ["http://localhost:1234/v1", "http://192.168.1.7:1234/v1"], openEffort],
  ["vLLM", ["vllm", "vLLM"], ["http://[::1]:8000/v1", "http://10.1.2.3:8000/v1"], openEffort],
  [
    "llama.cpp",
    ["llama.cpp", "llama-cpp"],
    ["http://localhost:8080/v1", "http://host.docker.internal:8080/v1"],
    openEffort,
  ],
];

describe.each(hosts)("%s", (_name, names, addresses, flags) => {
  test.each(addresses)("by its host: %s", (address) => {
    expect(at(address)).toMatchObject(flags);
    expect(at(address)).not.toEqual(safestFlags);
  });

  it("by the provider's name, for a proxy with another host", () => {
    for (const name of names) expect(at("https://proxy.example/v1", name)).toMatchObject(flags);
  });
});

describe("what is not known", () => {
  test.each([
    "https://api.example.com/v1",
    "https://openai.com.example/v1",
    "https://notdeepseek.com/v1",
    "https://example.com/api.deepseek.com/v1",
    "http://8.8.8.8:11434/v1",
    "http://localhost:9999/v1",
  ])("gets the safest flags: %s", (address) => {
    expect(at(address)).toEqual(safestFlags);
  });

  it("the name openai tells nothing of a server with another address", () => {
    expect(at("https://proxy.example/v1", "openai")).toEqual(safestFlags);
  });
});

it("the host counts more than the name, and an override most", () => {
  expect(at("https://api.groq.com/openai/v1", "mistral").nineCharacterIds).toBe(false);
  const flags: CompatFlags = {
    maxTokensField: "max_completion_tokens",
    usageInStream: false,
    strictTools: true,
    store: true,
    thinkingFormat: "qwen",
    effortModels: "x",
    reasoningContentRequired: false,
    toolResultName: true,
    assistantAfterToolResult: true,
    emptyContentAsText: true,
    toolsWithHistory: true,
    maximumIdLength: 12,
    nineCharacterIds: true,
    schemaSubset: true,
    images: true,
    finishReasonOptional: true,
  };
  expect(at("https://api.deepseek.com", "deepseek", flags)).toEqual(flags);
});

describe("thinking", () => {
  const fields = (thinkingFormat: CompatFlags["thinkingFormat"], level: string, model = "m", effortModels = "") =>
    thinkingFields(level as "low", model, { ...safestFlags, thinkingFormat, effortModels });

  test.each<[CompatFlags["thinkingFormat"], object, object, object]>([
    ["none", {}, {}, {}],
    ["effort", {}, {}, {}],
    [
      "deepseek",
      { thinking: { type: "disabled" } },
      { thinking: { type: "enabled" }, reasoning_effort: "high" },
      { thinking: { type: "enabled" }, reasoning_effort: "max" },
    ],
    ["zai", { thinking: { type: "disabled" } }, { thinking: { type: "enabled" } }, { thinking: { type: "enabled" } }],
    ["qwen", { enable_thinking: false }, { enable_thinking: true }, { enable_thinking: true }],
    [
      "template",
      { chat_template_kwargs: { enable_thinking: false } },
      { chat_template_kwargs: { enable_thinking: true } },
      { chat_template_kwargs: { enable_thinking: true } },
    ],
    ["together", { reasoning: { enabled: false } }, { reasoning: { enabled: true } }, { reasoning: { enabled: true } }],
    ["openrouter", {}, { reasoning: { effort: "high" } }, { reasoning: { effort: "xhigh" } }],
  ])("as %s: off, high, max", (format, off, high, max) => {
    expect([fields(format, "off"), fields(format, "high"), fields(format, "max")]).toEqual([off, high, max]);
  });

  it("every format sends something or nothing for every level, never a level it does not know", () => {
    for (const format of thinkingFormats) {
      for (const level of ["off", "minimal", "low", "medium", "high", "xhigh", "max"]) {
        expect(JSON.stringify(fields(format, level, "gpt-oss", "gpt-oss"))).not.toMatch(/undefined|null/);
      }
    }
  });

  test.each([
    ["gpt-5", ["minimal", "low", "high", "high"]],
    ["gpt-5-mini-2025-08-07", ["minimal", "low", "high", "high"]],
    ["gpt-5.1", ["low", "low", "high", "high"]],
    ["gpt-5.2-codex", ["low", "low", "xhigh", "xhigh"]],
    ["gpt-6", ["low", "low", "xhigh", "xhigh"]],
    ["o3", ["low", "low", "high", "high"]],
    ["gpt-4o", [undefined, undefined, undefined, undefined]],
  ])("OpenAI's own %s is asked only for efforts that it knows", (model, right) => {
    const { effortModels } = at("https://api.openai.com/v1");
    const efforts = ["minimal", "low", "xhigh", "max"].map(
      (level) => fields("effort", level, model, effortModels).reasoning_effort,
    );
    expect(efforts).toEqual(right);
    expect(fields("effort", "off", model, effortModels)).toEqual({});
  });

  it("models that do not take the switch are not sent it", () => {
    expect(fields("deepseek", "off", "deepseek-reasoner")).toEqual({});
    const { effortModels } = at("https://api.moonshot.ai/v1");
    expect(fields("zai", "high", "kimi-k2-thinking", effortModels)).toEqual({});
    expect(fields("zai", "high", "kimi-k2.6", effortModels)).toEqual({ thinking: { type: "enabled" } });
  });
});
