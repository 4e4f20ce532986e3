// A server that nobody here wrote breaks its answers; our client's outcome is right each time (F14–F17, cases 22, 23, 55, 56).
import { type FixtureOpts, LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { AssistantMessage } from "../../src/agent/messages.ts";
import type { ModelError } from "../../src/providers/contract.ts";
import { streamAssistant } from "../../src/providers/index.ts";
import { resultTexts, TestSessions } from "../support/sessions.ts";

type Answer = Parameters<LLMock["on"]>[1];

const text = "Größe 中文 🙂 is fine. ".repeat(8);
const calls: Answer = {
  toolCalls: [
    { id: "call_1", name: "bash", arguments: JSON.stringify({ command: "echo 中文 > a.txt" }) },
    { id: "call_2", name: "read", arguments: JSON.stringify({ path: "a.txt" }) },
  ],
};
const broken: Answer = { toolCalls: [{ id: "call_1", name: "bash", arguments: '{"command":"rm -rf' }] };

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, chunkSize: 3 });
  await mock.start();
});
afterEach(async () => {
  await mock.stop();
});

const request = () => ({
  provider: "aimock",
  model: "gpt-4o",
  baseUrl: `${mock.url}/v1`,
  systemPrompt: "be brief",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }], timestamp: 1 }],
  tools: [],
  thinking: "off" as const,
});

interface How {
  options?: FixtureOpts;
  idleTimeoutMs?: number;
  signal?: AbortSignal;
}

async function outcome(answer: Answer, { options = {}, idleTimeoutMs = 20_000, signal }: How = {}) {
  mock.onMessage(/./, answer, options);
  let shown = "";
  try {
    const message = await streamAssistant(
      { ...request(), idleTimeoutMs },
      {
        signal: signal ?? new AbortController().signal,
        onDelta: ({ delta }) => {
          shown += delta;
        },
      },
    );
    return { message, shown };
  } catch (error) {
    return { error: error as ModelError, shown };
  }
}

describe("whole answers", () => {
  it("text in pieces that cut characters", async () => {
    const { message, shown } = await outcome({ content: text, reasoning: "hm 中" });
    expect(message?.content).toContainEqual({ type: "text", text });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "thinking" }, { type: "text" }] });
    expect(shown).toContain(text);
  });

  it("calls, and a call whose JSON is cut, which does not run", async () => {
    expect((await outcome(calls)).message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { id: "call_1", name: "bash", arguments: { command: "echo 中文 > a.txt" } },
        { id: "call_2", name: "read", arguments: { path: "a.txt" } },
      ],
    });
    mock.clearFixtures();
    expect((await outcome(broken)).message).toMatchObject({
      content: [{ name: "bash", arguments: {}, argumentsError: { raw: '{"command":"rm -rf' } }],
    });
  });

  it("a slow first byte and slow pieces are no failure while something comes", async () => {
    const options = { streamingProfile: { ttft: 500, tps: 2 } };
    const { message } = await outcome({ content: "0123456789" }, { options, idleTimeoutMs: 2_000 });
    expect(message?.content).toEqual([{ type: "text", text: "0123456789" }]);
  });
});

describe("broken answers", () => {
  const one: AssistantMessage["content"] = [];
  test.each<[string, Answer, FixtureOpts, object]>([
    ["a text cut off", { content: text }, { truncateAfterChunks: 4 }, { kind: "transient" }],
    ["a text cut before it begins", { content: text }, { truncateAfterChunks: 1 }, { kind: "transient" }],
    ["calls cut in the first", calls, { truncateAfterChunks: 4 }, { kind: "transient" }],
    ["calls cut in the second", calls, { truncateAfterChunks: 20 }, { kind: "transient" }],
    [
      "a connection lost in the middle",
      { content: text },
      { disconnectAfterMs: 120, streamingProfile: { ttft: 10, tps: 20 } },
      { kind: "transient" },
    ],
    [
      "a connection lost before the headers",
      { content: text },
      { chaos: { disconnectRate: 1 } },
      { kind: "transient" },
    ],
    ["JSON that is none", { content: text }, { chaos: { malformedRate: 1 } }, { kind: "transient" }],
    ["an error of the server", { content: text }, { chaos: { dropRate: 1 } }, { kind: "transient" }],
    ["a rate limit", { content: text }, { chaos: { rateLimitRate: 1 } }, { kind: "rateLimit", retryAfterMs: 1_000 }],
    [
      "429 with a wait",
      { error: { message: "slow down" }, status: 429, retryAfter: 7_200 },
      {},
      { kind: "rateLimit", retryAfterMs: 7_200_000 },
    ],
    [
      "429 for want of money",
      { error: { message: "no", code: "insufficient_quota" }, status: 429 },
      {},
      { kind: "quota" },
    ],
    ["500", { error: { message: "oops" }, status: 500 }, {}, { kind: "transient" }],
    ["503", { error: { message: "oops" }, status: 503 }, {}, { kind: "transient" }],
    ["529", { error: { message: "Overloaded" }, status: 529 }, {}, { kind: "transient" }],
    ["401", { error: { message: "who are you" }, status: 401 }, {}, { kind: "auth" }],
    ["404", { error: { message: "no such model" }, status: 404 }, {}, { kind: "unknownModel" }],
    [
      "400 with digits in an id",
      { error: { message: "bad (request 429500503)" }, status: 400 },
      {},
      { kind: "invalid" },
    ],
    [
      "a window that is too small",
      { error: { message: "x", code: "context_length_exceeded" }, status: 400 },
      {},
      { kind: "overflow" },
    ],
  ])("%s", async (_name, answer, options, right) => {
    const { error, message } = await outcome(answer, { options });
    expect(message?.content ?? one).toEqual(one);
    expect(error).toMatchObject({ name: "ModelError", ...right });
    // Repeating belongs to the engine. (A request that was given up while the mock waited is not in its journal.)
    expect(mock.getRequests().length).toBeLessThanOrEqual(1);
  });

  it.each<[string, FixtureOpts]>([
    ["first", { chaos: { latencyMs: 3_000 } }],
    ["next", { streamingProfile: { tps: 0.1 } }],
  ])("no %s byte within the idle time", async (_name, options) => {
    const { error } = await outcome({ content: text }, { options, idleTimeoutMs: 300 });
    expect(error).toMatchObject({ kind: "transient", message: expect.stringContaining("sent nothing") });
  });

  it("length keeps what came and says so (case 22)", async () => {
    const { message } = await outcome({ ...(broken as object), finishReason: "length" } as Answer);
    expect(message).toMatchObject({
      stopReason: "length",
      content: [{ argumentsError: { raw: '{"command":"rm -rf' } }],
    });
  });

  it("an abort in the middle ends it within two seconds and keeps the text so far", async () => {
    const began = Date.now();
    const { message, shown } = await outcome(
      { content: text },
      { options: { streamingProfile: { ttft: 10, tps: 10 } }, signal: AbortSignal.timeout(500) },
    );
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: shown }] });
    expect(text.startsWith(shown)).toBe(true);
    expect(Date.now() - began).toBeLessThan(2_500);
  });
});

it("a session goes through all of it: each call runs once, the failed attempts leave no trace", async () => {
  const at = (sequenceIndex: number) => ({ userMessage: "go", hasToolResult: false, sequenceIndex });
  mock.on(at(0), { error: { message: "slow down" }, status: 429, retryAfter: 1 });
  mock.on(at(1), calls, { truncateAfterChunks: 6 });
  mock.on(at(2), { error: { message: "oops" }, status: 503 });
  mock.on(at(3), {
    content: "I write, then read.",
    toolCalls: [{ id: "call_1", name: "bash", arguments: JSON.stringify({ command: "echo once >> log" }) }],
  });
  mock.on({ hasToolResult: true }, { content: "done 中文" });
  const sessions = await TestSessions.start({ stream: streamAssistant, requests: [] });
  const { provider, model, baseUrl } = request();
  const id = await sessions.run("go", { model: { provider, model, baseUrl } });
  await sessions.untilState(id, "idle");
  const messages = (await sessions.client.account(id)).messages.map(({ message }) => message);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(messages.at(-1)).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "done 中文" }] });
  expect(resultTexts(messages)).toHaveLength(1);
  expect(mock.getRequests()).toHaveLength(5);
});
