// Pure unit tests: what the configuration of a model makes of requests and usage (C4; pi-behaviours 2.7, 2.9–2.12).
import { describe, expect, it } from "vitest";
import { noUsage } from "../../src/agent/messages.ts";
import type { ModelRequest } from "../../src/providers/contract.ts";
import { nearestNames } from "../../src/providers/nearest-names.ts";
import { buildRequest } from "../../src/providers/openai-completions/build-request.ts";
import { compatFor } from "../../src/providers/openai-completions/compat.ts";
import { withCost } from "../../src/providers/price.ts";

const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
function bodyOf(url: string, more: Partial<ModelRequest>, provider = "some") {
  const request: ModelRequest = {
    provider,
    model: "some-model",
    systemPrompt: "",
    messages: [{ role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 1 }],
    tools: [],
    thinking: "off",
    ...more,
  };
  return buildRequest(request, compatFor(provider, new URL(url), request.compat));
}

describe("flags of the configuration", () => {
  it("go before those of the host, which go before those of the name and the safest", () => {
    const host = "https://api.openai.com/v1";
    expect(compatFor("deepseek", new URL(host))).toMatchObject({ store: true, images: true });
    expect(compatFor("deepseek", new URL(host), { store: false })).toMatchObject({ store: false, strictTools: true });
    expect(bodyOf(host, { maxTokens: 9 })).toMatchObject({ max_completion_tokens: 9, store: false });
    expect(bodyOf(host, { maxTokens: 9, compat: { maxTokensField: "max_tokens" } })).toMatchObject({ max_tokens: 9 });
    expect(bodyOf("https://x.example/v1", {})).not.toHaveProperty("max_tokens");
  });

  it("keep images from a model that sees none, with words in their place, and let a model see that a host's do not", () => {
    const text = (body: Record<string, unknown>) => JSON.stringify(body.messages);
    expect(text(bodyOf("https://x.example/v1", {}))).toContain("image_url");
    const blind = text(bodyOf("https://x.example/v1", { compat: { images: false } }));
    expect(blind).not.toContain("image_url");
    expect(blind).toContain("(an image, which this model cannot see)");
    expect(text(bodyOf("https://api.deepseek.com", {}))).not.toContain("image_url");
    expect(text(bodyOf("https://api.deepseek.com", { compat: { images: true } }))).toContain("image_url");
  });
});

describe("a model's own levels of thinking", () => {
  const ask = (thinking: ModelRequest["thinking"], thinkingMap: ModelRequest["thinkingMap"], url: string) => {
    const {
      model: _,
      messages: __,
      stream: ___,
      stream_options: ____,
      store: _____,
      ...fields
    } = bodyOf(url, {
      thinking,
      ...(thinkingMap ? { thinkingMap } : {}),
    });
    return fields;
  };
  const unknown = "https://x.example/v1";

  it("are sent in the field of the endpoint's dialect", () => {
    const map = { off: "none", high: "deep" };
    expect(ask("high", map, unknown)).toEqual({ reasoning_effort: "deep" });
    expect(ask("off", map, unknown)).toEqual({ reasoning_effort: "none" });
    expect(ask("high", map, "https://api.deepseek.com")).toEqual({
      thinking: { type: "enabled" },
      reasoning_effort: "deep",
    });
    expect(ask("off", map, "https://api.deepseek.com")).toEqual({ thinking: { type: "disabled" } });
    expect(ask("high", map, "https://openrouter.ai/api/v1")).toEqual({ reasoning: { effort: "deep" } });
    expect(ask("high", { high: 4_000 }, "https://openrouter.ai/api/v1")).toEqual({ reasoning: { max_tokens: 4_000 } });
    expect(ask("high", { off: false, high: 4_000 }, "https://dashscope.aliyuncs.com/v1")).toEqual({
      enable_thinking: true,
      thinking_budget: 4_000,
    });
    expect(ask("off", { off: false, high: 4_000 }, "https://dashscope.aliyuncs.com/v1")).toEqual({
      enable_thinking: false,
    });
    expect(ask("high", { high: true }, "https://api.z.ai/v4")).toEqual({ thinking: { type: "enabled" } });
  });

  it("are the next higher one, else the next lower one, for a level it does not have; off is then not sent", () => {
    expect(ask("high", { low: "l", max: "m" }, unknown)).toEqual({ reasoning_effort: "m" });
    expect(ask("max", { low: "l", high: "h" }, unknown)).toEqual({ reasoning_effort: "h" });
    expect(ask("medium", { minimal: "n", low: "l" }, unknown)).toEqual({ reasoning_effort: "l" });
    expect(ask("off", { low: "l" }, unknown)).toEqual({});
    expect(ask("off", { low: "l" }, "https://api.deepseek.com")).toEqual({});
    expect(ask("high", { off: "none" }, unknown)).toEqual({});
  });
});

describe("the cost of an answer", () => {
  const price = { input: 2, output: 10, cache_read: 0.5 };
  const usage = { input: 1_000, output: 100, cacheRead: 10_000, cacheWrite: 1_000 };

  it("is the endpoint's own, else by the price, with cached tokens apart at theirs", () => {
    expect(withCost(usage, price).cost).toBeCloseTo((2_000 + 1_000 + 5_000 + 2_000) / 1e6, 12);
    expect(withCost({ ...usage, cost: 0 }, price).cost).toBe(0);
    expect(withCost(usage, { input: 0, output: 0 }).cost).toBe(0);
  });

  it("is never $0 because nobody knows it", () => {
    expect(withCost(usage, undefined)).toEqual(usage);
    expect(withCost(noUsage(), price)).toEqual({ ...noUsage(), costIncomplete: true });
  });
});

it("names the nearest names first", () => {
  const names = ["deepseek-chat", "deepseek-reasoner", "gpt-5-mini", "gpt-5", "openai/gpt-5", "zzz"];
  expect(nearestNames("deepseek-chta", names, 2)).toEqual(["deepseek-chat", "deepseek-reasoner"]);
  expect(nearestNames("GPT-5", names, 3)).toEqual(["gpt-5", "gpt-5-mini", "openai/gpt-5"]);
  expect(nearestNames("x", ["only"], 3)).toEqual(["only"]);
});
