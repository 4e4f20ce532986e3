// What a model's failure does to a session (H5, F16, F17, cases 55 and 56).
import { describe, expect, it } from "vitest";
import type { FollowItem } from "../../src/client/contract.ts";
import { ModelError, type ModelErrorKind } from "../../src/providers/contract.ts";
import { streamAssistant } from "../../src/providers/index.ts";
import { chunk, type ModelServerAnswer, startModelServer } from "../support/model-server.ts";
import { fakeModel, TestSessions } from "../support/sessions.ts";

const hour = 3_600_000;
const isRetrying = (item: FollowItem): item is Extract<FollowItem, { kind: "retrying" }> => item.kind === "retrying";

async function retrying(sessions: TestSessions, id: string, attempt = 1) {
  const { items } = await sessions.until(id, (item) => isRetrying(item) && item.attempt >= attempt);
  return items.filter(isRetrying).at(-1)!;
}

describe("waits of hours are the engine's", () => {
  it.each([
    ["three hours", 3 * hour],
    ["ten days", 240 * hour],
  ])("%s: shown with their end, and a stop ends them at once (F16)", async (_name, retryAfterMs) => {
    const model = fakeModel(() => new ModelError("rateLimit", "HOST answered 429: slow down", { retryAfterMs }));
    const sessions = await TestSessions.start(model);
    const began = Date.now();
    const id = await sessions.run("go");
    const item = await retrying(sessions, id);
    expect(item.message).toBe("HOST answered 429: slow down");
    expect(item.nextTryAt! - began).toBeGreaterThanOrEqual(retryAfterMs);
    expect(item.nextTryAt! - Date.now()).toBeLessThanOrEqual(retryAfterMs);
    expect((await sessions.client.list()).find((summary) => summary.id === id)).toMatchObject({ state: "retrying" });
    const asked = Date.now();
    await sessions.client.abort(id, "me");
    await sessions.untilState(id, "stopped");
    expect(Date.now() - asked).toBeLessThan(5_000);
    expect(model.requests).toHaveLength(1);
    // The session is as good as before.
    await sessions.client.send(id, { id: "next", text: "again", delivery: "steer" });
    await retrying(sessions, id);
    expect(model.requests).toHaveLength(2);
  });
});

it.each<[ModelErrorKind, string]>([
  ["auth", "blocked"],
  ["quota", "blocked"],
  ["unknownModel", "blocked"],
  ["invalid", "failed"],
  ["contentFilter", "failed"],
])("%s is asked once and leaves the session %s (case 56)", async (kind, state) => {
  const model = fakeModel(() => new ModelError(kind, "HOST said no (request 429500503)"));
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("go");
  await sessions.untilState(id, state as "blocked");
  expect(await sessions.client.state(id)).toMatchObject({ state, cause: "HOST said no (request 429500503)" });
  expect(model.requests).toHaveLength(1);
});

it("attempts lost to dead workers are not the provider's failures", { timeout: 60_000 }, async () => {
  let asked = () => {};
  let hangs = true;
  const model = fakeModel(async (_turn, _request, signal) => {
    asked();
    if (!hangs) return new ModelError("transient", "HOST answered 500");
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return new ModelError("transient", "the stream was cut");
  });
  const nextRequest = () =>
    new Promise<void>((resolve) => {
      asked = resolve;
    });
  let request = nextRequest();
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("go");
  for (let lost = 1; lost <= 3; lost++) {
    await request;
    await sessions.stopWorker();
    hangs = lost < 3;
    request = nextRequest();
    await sessions.startWorker(model);
  }
  const item = await retrying(sessions, id, 2);
  // The first failure of the provider: its wait is that of the first, about a second, and not of the fourth.
  expect(item.attempt).toBeGreaterThanOrEqual(4);
  expect(item.message).toBe("HOST answered 500");
  expect(item.nextTryAt! - Date.now()).toBeLessThan(1_500);
});

it.each<[string, ModelServerAnswer]>([
  ["headers never come", { delayMs: 60_000 }],
  ["nothing comes after some text", { chunks: [chunk({ content: "so far" })], done: false, end: "hang" }],
  ["single bytes come", { body: "data: {".padEnd(500, "x"), writeBytes: 1, writeDelayMs: 200, end: "hang" }],
])("a stop is quick while %s (F17)", async (_name, answer) => {
  let asked = () => {};
  const request = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = await startModelServer(() => {
    asked();
    return answer;
  });
  const sessions = await TestSessions.start({ stream: streamAssistant, requests: [] });
  const id = await sessions.run("go", { model: { provider: "slow", model: "m", baseUrl: server.url } });
  await request;
  const stopped = Date.now();
  await sessions.client.abort(id, "me");
  await sessions.untilState(id, "stopped");
  expect(Date.now() - stopped).toBeLessThan(5_000);
  expect(server.requests).toHaveLength(1);
  await server.close();
});
