// PyPI's `llmock` breaks the answers of whole sessions and then judges the client: early retries, retried refusals, storms,
// cut streams taken for whole ones, no back-off, no time-out. Its report must find nothing (F14, F16, F17, cases 55 and 56).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionState } from "../../src/protocol/session.ts";
import { streamAssistant } from "../../src/providers/index.ts";
import { installLlmock, Llmock } from "../support/llmock.ts";
import { TestSessions } from "../support/sessions.ts";

interface Case {
  state: SessionState["state"];
  /** What happens to the requests of this session: of each type, the first one waits for the first request. */
  behaviors: object[];
}

/** Twice in an answer that is cut, then whole. */
const bash = (command: string) => ({ type: "reply", times: 3, tool_calls: [{ name: "bash", arguments: { command } }] });
const text = { type: "reply", text: "all of it, nothing left out", times: null };
const cut = (kind: string, more: object = {}) => ({ type: "stream_fault", kind, after_chunks: 2, ...more });

const cases: Record<string, Case> = {
  "rate-limits": {
    state: "idle",
    behaviors: [
      { type: "fail", status: 429, retry_after: 2 },
      { type: "fail", status: 429, retry_after: 1 },
      { type: "fail", status: 429 },
      text,
    ],
  },
  overload: {
    state: "idle",
    behaviors: [500, 503, 529].map((status): object => ({ type: "fail", status })).concat(text),
  },
  "cut-streams": { state: "idle", behaviors: [cut("truncate"), cut("disconnect"), cut("malformed"), text] },
  silence: { state: "idle", behaviors: [cut("stall", { stall_seconds: 20 }), text] },
  "slow-start": { state: "idle", behaviors: [{ type: "slow_first_token", seconds: 20 }, text] },
  "cut-calls": { state: "idle", behaviors: [cut("truncate"), cut("disconnect"), bash("echo once >> log"), text] },
  "bad-calls": {
    state: "idle",
    behaviors: [
      { type: "tool_fault", kind: "malformed_arguments" },
      { ...text, times: 1 },
    ],
  },
  "unknown-tool": { state: "idle", behaviors: [{ type: "tool_fault", kind: "unknown_tool" }] },
  "no-key": { state: "blocked", behaviors: [{ type: "fail", status: 401, times: null }] },
  "no-model": { state: "blocked", behaviors: [{ type: "fail", status: 404, times: null }] },
  refused: {
    state: "failed",
    behaviors: [{ type: "fail", status: 400, message: "bad (request 429500503)", times: null }],
  },
};

let llmock: Llmock;
beforeAll(async () => {
  await installLlmock();
  llmock = await Llmock.start();
}, 180_000);
afterAll(async () => await llmock?.stop());

it("the report of an outside judge says PASS", { timeout: 60_000 }, async () => {
  for (const [name, { behaviors }] of Object.entries(cases)) {
    await llmock.will(behaviors.map((behavior) => ({ ...behavior, match: { model: name } })));
  }
  const sessions = await TestSessions.start({
    requests: [],
    stream: (request, options) => streamAssistant({ ...request, idleTimeoutMs: 2_000 }, options),
  });
  const ended = await Promise.all(
    Object.entries(cases).map(async ([name, { state }]) => {
      const model = { provider: "llmock", model: name, baseUrl: `${llmock.url}/v1` };
      const id = await sessions.run(`go ${name}`, { model });
      await sessions.untilState(id, state);
      const { messages } = await sessions.client.account(id);
      return { name, messages: messages.map(({ message }) => message) };
    }),
  );
  for (const { name, messages } of ended) {
    if (cases[name]!.state !== "idle") continue;
    // Every failed attempt left nothing behind, and the last answer is whole.
    expect(messages.filter((message) => message.role === "assistant" && message.stopReason === "error")).toEqual([]);
    expect(messages.at(-1), name).toMatchObject({ role: "assistant", stopReason: "stop" });
  }
  expect(readFileSync(join(sessions.workspace, "log"), "utf8")).toBe("once\n");
  const verdict = await llmock.verdict();
  expect(verdict.findings, await llmock.report()).toEqual([]);
  expect(await llmock.report()).toContain("PASS");
  expect(verdict.faults_injected).toBeGreaterThanOrEqual(15);
});
