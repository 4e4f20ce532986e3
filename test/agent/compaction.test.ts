// Pure unit tests: no worker, no server.
import { describe, expect, it } from "vitest";
import {
  contextAfter,
  cutIndex,
  estimateTokens,
  keptTokensOf,
  needsCompaction,
  outputLimit,
} from "../../src/agent/compaction.ts";
import type { Message } from "../../src/agent/messages.ts";
import { assistant, call, toolResult, user } from "./support.ts";

const answer = (tokens: number): Message => ({
  ...assistant(["a"]),
  usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 },
});

describe("the rule of compaction", () => {
  it("leaves 16,384 tokens of a large window free, a quarter of a small one", () => {
    expect(needsCompaction(183_616, 200_000)).toBe(false);
    expect(needsCompaction(183_617, 200_000)).toBe(true);
    expect(needsCompaction(6_001, 8_000)).toBe(true);
    expect(needsCompaction(6_000, 8_000)).toBe(false);
    expect(needsCompaction(10_000_000, undefined)).toBe(false);
    expect(keptTokensOf(8_000)).toBe(2_000);
    expect(keptTokensOf(undefined)).toBe(20_000);
  });

  it("leaves room for the longest answer of the model, of the window half at most", () => {
    expect(needsCompaction(136_000, 200_000, 64_000)).toBe(false);
    expect(needsCompaction(136_001, 200_000, 64_000)).toBe(true);
    expect(needsCompaction(183_616, 200_000, 100)).toBe(false);
    expect(needsCompaction(16_000, 32_000, 32_000)).toBe(false);
    expect(needsCompaction(16_001, 32_000, 32_000)).toBe(true);
  });

  it("asks for no more output than the window leaves (2.7)", () => {
    const model = { contextWindow: 200_000, maxOutput: 64_000 };
    expect(outputLimit(model, { input: 100_000, counted: 100_000 })).toBe(64_000);
    expect(outputLimit(model, { input: 190_000, counted: 190_000 })).toBe(10_000);
    expect(outputLimit(model, { input: 150_000, counted: 140_000 })).toBe(47_500);
    expect(outputLimit(model, { input: 150_000, counted: 0 })).toBe(12_500);
    expect(outputLimit(model, { input: 250_000, counted: 0 })).toBe(256);
    expect(outputLimit({ maxOutput: 100 }, { input: 250_000, counted: 0 })).toBe(100);
    expect(outputLimit({ contextWindow: 200_000 }, { input: 100, counted: 0 })).toBeUndefined();
  });

  it("believes an answer's own usage, and estimates what came after or when the endpoint does not count (case 58)", () => {
    expect(contextAfter(5, answer(1_000))).toBe(1_000);
    expect(contextAfter(1_000, toolResult("x".repeat(400)))).toBe(1_100);
    expect(contextAfter(1_000, answer(0))).toBe(1_001);
    const image: Message = { ...user("u").message, content: [{ type: "image", data: "", mimeType: "image/png" }] };
    expect(estimateTokens(image)).toBe(1_200);
  });

  it("never cuts between a call and its result, and keeps the newest answer whole", () => {
    const big = "x".repeat(4_000);
    const messages: Message[] = [
      user("first").message,
      assistant([call("read"), call("read")]),
      toolResult(big),
      toolResult(big),
      assistant([call("read")]),
      toolResult(big),
    ];
    for (let keep = 1; keep < 4_000; keep += 100) {
      const cut = cutIndex(messages, keep);
      expect(messages[cut]?.role).not.toBe("toolResult");
    }
    expect(cutIndex(messages, 1)).toBe(4);
    expect(cutIndex(messages, 1_500)).toBe(1);
    expect(cutIndex(messages, 1_000_000)).toBe(0);
  });
});
