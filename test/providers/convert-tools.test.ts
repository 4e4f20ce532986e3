// Pure unit tests: rows 2.1–2.12 of pi-behaviours, C1–C4 of the requirements.
import { type TSchema, Type } from "@sinclair/typebox";
import { describe, expect, it, test } from "vitest";
import type { Tool } from "../../src/agent/tool.ts";
import type { ModelError, ModelRequest } from "../../src/providers/contract.ts";
import { buildRequest } from "../../src/providers/openai-completions/build-request.ts";
import { compatFor, isLoopback, safestFlags } from "../../src/providers/openai-completions/compat.ts";
import { convertTools } from "../../src/providers/openai-completions/convert-tools.ts";

const bash: Tool = {
  name: "bash",
  description: "Run a command",
  parameters: Type.Object({ command: Type.String(), timeout: Type.Optional(Type.Number({ minimum: 1 })) }),
};
const strict = { ...safestFlags, strictTools: true };
const asking = (kind: "prefer" | "require", parameters: TSchema = bash.parameters): Tool => ({
  ...bash,
  parameters,
  constrainedSampling: { type: "json_schema", strict: kind },
});

describe("declarations", () => {
  it("2.1: nest under function, the schema passes through", () => {
    const [tool] = convertTools([bash], safestFlags);
    expect(tool).toEqual({
      type: "function",
      function: { name: "bash", description: "Run a command", parameters: bash.parameters },
    });
    expect(tool?.function.parameters).toBe(bash.parameters);
  });

  it("2.2: strict is sent only where it is supported, and true only where asked", () => {
    expect(JSON.stringify(convertTools([bash, asking("prefer")], safestFlags))).not.toContain("strict");
    expect(
      convertTools([bash, asking("prefer"), { ...bash, constrainedSampling: false }], strict).map(
        (t) => t.function.strict,
      ),
    ).toEqual([false, true, false]);
  });

  it("2.3: require where it is not supported is a readable error", () => {
    expect(() => convertTools([asking("require")], safestFlags)).toThrow(
      /"bash" requires strict sampling, which this endpoint/,
    );
    const ref = { type: "object", properties: { a: { $ref: "#" } } } as unknown as TSchema;
    expect(() => convertTools([asking("require", ref)], strict)).toThrow(/parameters\.a uses \$ref/);
    expect(convertTools([asking("prefer", ref)], strict)[0]?.function).toMatchObject({
      strict: false,
      parameters: ref,
    });
    try {
      convertTools([asking("require")], safestFlags);
    } catch (error) {
      expect((error as ModelError).kind).toBe("invalid");
    }
  });

  it("2.4: a strict schema requires every property, optional ones or null, and forbids others", () => {
    const before = JSON.stringify(bash.parameters);
    expect(convertTools([asking("prefer")], strict)[0]?.function.parameters).toEqual({
      type: "object",
      properties: { command: { type: "string" }, timeout: { type: ["number", "null"], minimum: 1 } },
      required: ["command", "timeout"],
      additionalProperties: false,
    });
    expect(JSON.stringify(bash.parameters)).toBe(before);
  });

  test.each([
    ["allOf", Type.Object({ a: Type.Intersect([Type.Object({}), Type.Object({})]) })],
    ["patternProperties", Type.Object({ a: Type.Record(Type.String(), Type.String()) })],
    ["has no type", Type.Object({ a: Type.Any() })],
    ["tuple", Type.Object({ a: Type.Tuple([Type.String()]) })],
  ])("2.4: %s has no strict form", (word, schema) => {
    expect(() => convertTools([asking("require", schema)], strict)).toThrow(word);
  });

  it("C2: a subset schema is trimmed and merged", () => {
    const parameters = {
      type: "object",
      allOf: [{ properties: { a: { $ref: "#/$defs/text" } }, required: ["a"] }],
      properties: {
        b: { anyOf: [{ const: "x" }, { const: "y" }] },
        c: { type: ["array", "null"], items: { type: "string", pattern: "x" } },
      },
      additionalProperties: false,
      $defs: { text: { type: "string", description: "text" } },
    } as unknown as TSchema;
    expect(
      convertTools([{ ...bash, parameters }], { ...safestFlags, schemaSubset: true })[0]?.function.parameters,
    ).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: "text" },
        b: { type: "string", enum: ["x", "y"] },
        c: { type: "array", items: { type: "string" } },
      },
      required: ["a"],
    });
  });
});

describe("hosts", () => {
  const flags = (provider: string, url: string) => compatFor(provider, new URL(url));

  it("2.10: are found by host whatever its case, by subdomain, and by the provider's name behind a proxy", () => {
    for (const [provider, url] of [
      ["x", "https://API.DEEPSEEK.com"],
      ["x", "https://api.deepseek.com/v1"],
      ["DeepSeek", "https://proxy.example"],
    ] as const) {
      expect(flags(provider, url)).toMatchObject({
        thinkingFormat: "deepseek",
        reasoningContentRequired: true,
        maxTokensField: "max_tokens",
        store: false,
      });
    }
    expect(flags("x", "https://deepseek.com.evil.example")).toEqual(safestFlags);
    expect(flags("x", "https://notdeepseek.com")).toEqual(safestFlags);
  });

  it("unknown ones get the safest flags, and every flag can be overridden", () => {
    expect(flags("my", "https://models.example")).toEqual(safestFlags);
    expect(compatFor("my", new URL("https://models.example"), { strictTools: true }).strictTools).toBe(true);
  });

  it.each([
    ["deepseek", "https://api.deepseek.com"],
    ["openrouter", "https://openrouter.ai/api/v1"],
    ["groq", "https://api.groq.com/openai/v1"],
    ["together", "https://api.together.xyz/v1"],
    ["mistral", "https://api.mistral.ai/v1"],
    ["xai", "https://api.x.ai/v1"],
    ["qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"],
    ["z.ai", "https://api.z.ai/api/paas/v4"],
    ["gemini", "https://generativelanguage.googleapis.com/v1beta/openai"],
    ["Ollama", "http://127.0.0.1:11434/v1"],
    ["LM Studio", "http://localhost:1234/v1"],
    ["vLLM", "http://[::1]:8000/v1"],
    ["llama.cpp", "http://127.0.0.1:8080/v1"],
  ])("%s is known by name and by address", (name, url) => {
    expect(flags("x", url)).not.toEqual(safestFlags);
    expect(flags(name, "https://proxy.example")).toEqual(flags("x", url));
  });

  it("openai is known by its host alone: many servers are reached under that name", () => {
    expect(flags("x", "https://api.openai.com/v1").store).toBe(true);
    expect(flags("openai", "https://proxy.example")).toEqual(safestFlags);
  });

  it("this machine is told by address, not by a name that looks like it", () => {
    expect(
      ["http://localhost:1", "http://127.0.0.1", "http://[::1]:8", "http://127.9.9.9"].map((url) =>
        isLoopback(new URL(url)),
      ),
    ).toEqual([true, true, true, true]);
    expect(
      ["http://127.0.0.1.evil.example", "http://localhost.example", "http://10.0.0.1"].map((url) =>
        isLoopback(new URL(url)),
      ),
    ).toEqual([false, false, false]);
  });
});

describe("request bodies", () => {
  const body = (provider: string, more: Partial<ModelRequest> = {}) => {
    const url = new URL(provider === "openai" ? "https://api.openai.com/v1" : "https://models.example");
    const request: ModelRequest = {
      provider,
      model: "m",
      systemPrompt: "s",
      messages: [],
      tools: [],
      thinking: "off",
      ...more,
    };
    return buildRequest(request, compatFor(provider, url));
  };

  it("2.5, 2.6, 2.7: nothing that an unknown host might refuse", () => {
    expect(body("unknown", { maxTokens: 100 })).toEqual({
      model: "m",
      messages: [{ role: "system", content: "s" }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 100,
    });
    expect(body("openai", { maxTokens: 100 })).toMatchObject({ max_completion_tokens: 100, store: false });
  });

  it("2.14: no half of a character leaves in any text, and whole ones stay", () => {
    const half = "a\ud83d b\udc00 🙂";
    const call = { type: "toolCall" as const, id: "c", name: "bash", arguments: { [half]: [{ deep: half }] } };
    const sent = body("deepseek", {
      systemPrompt: half,
      tools: [{ ...bash, description: half, parameters: Type.Object({ x: Type.String({ description: half }) }) }],
      messages: [
        { role: "user", content: [{ type: "text", text: half }], timestamp: 1 },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: half, field: "reasoning_content" },
            { type: "text", text: half },
            { ...call, thoughtSignature: half },
          ],
          provider: "deepseek",
          model: "m",
          usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          stopReason: "toolUse",
          timestamp: 1,
        },
        {
          role: "toolResult",
          toolCallId: "c",
          toolName: "bash",
          content: [{ type: "text", text: half }],
          isError: false,
          timestamp: 1,
        },
      ],
    });
    const text = JSON.stringify(sent);
    expect(text).not.toMatch(/\\ud[89a-f]/);
    expect(text.match(/a b 🙂/g)).toHaveLength(10);
  });

  test.each<[string, string, ModelRequest["thinking"], object]>([
    ["deepseek", "deepseek-chat", "high", { thinking: { type: "enabled" }, reasoning_effort: "high" }],
    ["deepseek", "deepseek-chat", "max", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
    ["deepseek", "deepseek-chat", "off", { thinking: { type: "disabled" } }],
    ["deepseek", "deepseek-reasoner", "off", {}],
    ["openai", "gpt-5.2", "high", { reasoning_effort: "high" }],
    ["openai", "gpt-5.2", "max", { reasoning_effort: "xhigh" }],
    ["openai", "o3", "minimal", { reasoning_effort: "low" }],
    ["openai", "gpt-4.1", "high", {}],
    ["openai", "gpt-5.2", "off", {}],
    ["qwen", "m", "low", { enable_thinking: true }],
    ["zai", "m", "off", { thinking: { type: "disabled" } }],
    ["openrouter", "m", "medium", { reasoning: { effort: "medium" } }],
    ["groq", "openai/gpt-oss-120b", "xhigh", { reasoning_effort: "high" }],
    ["unknown", "m", "high", {}],
  ])("2.9, 2.11: %s %s at level %s", (provider, model, thinking, fields) => {
    const { messages, model: _model, stream, stream_options, store, ...rest } = body(provider, { model, thinking });
    expect(rest).toEqual(fields);
  });
});
