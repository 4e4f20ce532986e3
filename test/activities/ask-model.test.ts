// Unit tests: what a request is made of, from the session's settings, this machine's configuration and the conversation.
import { expect, it } from "vitest";
import { askModel } from "../../activities/ask-model.ts";
import type { ActivityServices, WorkerModelOptions } from "../../activities/services.ts";
import type { Message, Usage } from "../../src/agent/messages.ts";
import type { ModelSettings } from "../../src/protocol/session.ts";
import type { ModelRequest } from "../../src/providers/contract.ts";
import { assistant, user } from "../agent/support.ts";

const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const counted = (input: number): Message => ({ ...assistant(["a"]), usage: { ...none, input } });

async function ask(
  options: WorkerModelOptions,
  { model = {}, messages = [user("u").message], summarised = false, usage = none } = {} as {
    model?: Partial<ModelSettings>;
    messages?: Message[];
    summarised?: boolean;
    usage?: Usage;
  },
) {
  let request: ModelRequest | undefined;
  const services = {
    apiKeyFor: async () => "k",
    modelOptions: () => options,
    streamAssistant: async (asked) => {
      request = asked;
      return { ...assistant(["answer"]), usage };
    },
  } satisfies Partial<ActivityServices> as Partial<ActivityServices> as ActivityServices;
  const answer = await askModel(
    services,
    { provider: "p", model: "m", ...model },
    { systemPrompt: "s".repeat(4_000), messages, tools: [], thinking: "off" },
    { signal: new AbortController().signal, onDelta: () => undefined, summarised },
  );
  return { request: request!, answer };
}

it("the configuration of now goes before what was recorded with the session", async () => {
  const recorded = { model: { contextWindow: 100_000, maxOutput: 5_000 } };
  expect((await ask({}, recorded)).request.maxTokens).toBe(5_000);
  expect((await ask({ maxOutput: 7_000 }, recorded)).request.maxTokens).toBe(7_000);
  expect((await ask({ maxOutput: 50_000, contextWindow: 11_253 }, recorded)).request.maxTokens).toBe(10_000);
  const { request } = await ask({ compat: { store: true }, thinking: { off: "none" } });
  expect(request).toMatchObject({ compat: { store: true }, thinkingMap: { off: "none" }, apiKey: "k" });
  expect(request).not.toHaveProperty("maxTokens");
});

it("input and output fit the window; what was counted before a summary is not believed", async () => {
  const options = { maxOutput: 50_000, contextWindow: 100_000 };
  const messages = [user("u").message, counted(80_000)];
  expect((await ask(options, { messages })).request.maxTokens).toBe(20_000);
  expect((await ask(options, { messages, summarised: true })).request.maxTokens).toBe(50_000);
});

it("the answer's usage holds what it cost", async () => {
  const usage = { ...none, input: 1_000_000 };
  expect((await ask({ price: { input: 3, output: 9 } }, { usage })).answer.usage).toEqual({ ...usage, cost: 3 });
  expect((await ask({}, { usage })).answer.usage).toEqual(usage);
});
