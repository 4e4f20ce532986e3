import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
import { workflowIdOf } from "../../src/protocol/session.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { bash, fakeModel, messageOf, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

async function temporal(sessions: TestSessions): Promise<Client> {
  return new Client({ connection: await Connection.connect({ address: sessions.address }) });
}

describe("a session", () => {
  it("reads, edits and runs in the workspace, and keeps the whole conversation", async () => {
    const model = fakeModel((turn) => {
      if (turn === 1) return ["first", toolCall("read", { path: "a.txt" }), bash("echo from bash")];
      if (turn === 2) return [toolCall("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })];
      return "all done";
    });
    const sessions = await TestSessions.start(model);
    writeFileSync(join(sessions.workspace, "a.txt"), "one\n");
    const id = await sessions.run("do it");
    await sessions.untilState(id, "idle");
    expect(readFileSync(join(sessions.workspace, "a.txt"), "utf8")).toBe("two\n");
    const account = await sessions.client.account(id);
    expect(account.messages.map(({ message }) => message.role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    expect(resultTexts(account.messages.map(({ message }) => message))).toEqual([
      expect.stringContaining("one"),
      expect.stringContaining("from bash"),
      expect.any(String),
    ]);
    expect(account).toMatchObject({
      turns: 3,
      summary: { state: "idle", title: "do it" },
      usage: { input: 30, output: 15 },
    });
    // The model saw what history holds, in the same order.
    const last = model.requests.at(-1)!.messages;
    expect(last).toEqual(account.messages.slice(0, -1).map(({ message }) => message));
    expect((await sessions.client.list()).find((summary) => summary.id === id)).toMatchObject({
      state: "idle",
      repository: "workspace",
    });
  });

  it("closes after its answer, and send reopens it with the whole conversation", async () => {
    const model = fakeModel((turn) => (turn === 1 ? ["a", bash("echo 1")] : `answer ${turn}`));
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("first", {}, { closeAfterMs: 0 });
    const first = await sessions.until(id, (item) => item.kind === "closed");
    await sessions.client.send(id, { id: randomUUID(), text: "second", delivery: "steer" });
    const second = await sessions.until(id, (item) => item.kind === "closed", first.events.at(-1)!.seq);
    expect(textOf(model.requests.at(-1)!.messages.at(-1)!.content)).toBe("second");
    expect(model.requests.at(-1)!.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
      "user",
    ]);
    const account = await sessions.client.account(id);
    expect(account.messages).toHaveLength(6);
    expect(account.turns).toBe(3);
    // Numbers of events go on, and a follower from the start reads both runs.
    expect(second.events[0]!.seq).toBe(first.events.at(-1)!.seq + 1);
    const all = await sessions.until(id, (item) => item.kind === "closed");
    expect(all.events.map(({ seq }) => seq)).toEqual(all.events.map((_, at) => at + 1));
    expect(
      all.items.filter((item) => item.kind === "event" && item.event.type === "message_end" && !item.message),
    ).toEqual([]);
  });

  it("takes a follow-up when the work is done and a steering prompt after the batch", async () => {
    let sessions!: TestSessions;
    let id = "";
    const model = fakeModel(async (turn) => {
      if (turn !== 1) return `answer ${turn}`;
      await sessions.client.send(id, { id: "later", text: "later", delivery: "followUp" });
      await sessions.client.send(id, { id: "steer", text: "steer", delivery: "steer" });
      return [bash("true")];
    });
    sessions = await TestSessions.start(model);
    const ready = sessions.run("go");
    id = await ready;
    await sessions.untilState(id, "idle");
    const roles = (await sessions.client.account(id)).messages.map(({ id: messageId, message }) =>
      message.role === "user" ? messageId : message.role,
    );
    expect(roles.slice(1)).toEqual(["assistant", "toolResult", "steer", "assistant", "later", "assistant"]);
  });

  it("blocks on what only a person can mend, and retry goes on with the same turn", async () => {
    let broken = true;
    const model = fakeModel(() =>
      broken ? new ModelError("auth", "key refused by HOST", { next: "export KEY=…" }) : "fine",
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.untilState(id, "blocked");
    expect(await sessions.client.state(id)).toMatchObject({
      state: "blocked",
      cause: "key refused by HOST",
      next: `export KEY=…, then tempi retry ${id}`,
      turn: 1,
    });
    expect(model.requests).toHaveLength(1);
    broken = false;
    await sessions.client.retry(id, "me");
    await sessions.untilState(id, "idle");
    expect(await sessions.client.state(id)).toMatchObject({ state: "idle", turn: 1 });
  });

  it("waits as long as the server asks, shows it, and goes on", async () => {
    let tries = 0;
    const model = fakeModel(() =>
      ++tries === 1 ? new ModelError("rateLimit", "rate limited by HOST", { retryAfterMs: 1_500 }) : "fine",
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    const { items } = await sessions.until(
      id,
      (item) => item.kind === "event" && item.event.type === "state_changed" && item.event.state === "idle",
    );
    expect(items).toContainEqual(expect.objectContaining({ kind: "retrying", message: "rate limited by HOST" }));
    expect(tries).toBe(2);
  });

  it("ends the turn at an invalid request and repeats no finished tool (case 62)", async () => {
    const model = fakeModel((turn) =>
      turn === 1 ? [bash("echo x >> log")] : new ModelError("invalid", "bad request"),
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.untilState(id, "failed");
    expect(await sessions.client.state(id)).toMatchObject({ state: "failed", cause: "bad request" });
    expect(readFileSync(join(sessions.workspace, "log"), "utf8")).toBe("x\n");
  });

  it("turns an unexpected fault in workflow code into a state with a name, and stays usable", async () => {
    const model = fakeModel((turn, request) =>
      request.messages.length === 1 ? ({ role: "assistant", usage: {}, stopReason: "stop" } as never) : `fine ${turn}`,
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.untilState(id, "failed");
    const state = await sessions.client.state(id);
    expect(state.cause).toMatch(/^unexpected fault in tempi: /);
    expect((await sessions.client.list()).find((summary) => summary.id === id)?.state).toBe("failed");
  });

  it("ends in order when it is cancelled in the Temporal UI, and send reopens it", async () => {
    const model = fakeModel((turn) => (turn === 1 ? [bash("sleep 60")] : "fine"));
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.until(id, (item) => item.kind === "event" && item.event.type === "tool_execution_start");
    await (await temporal(sessions)).workflow.getHandle(workflowIdOf(id)).cancel();
    const { items, events } = await sessions.until(id, (item) => item.kind === "closed");
    expect(items.at(-1)).toMatchObject({ kind: "closed", state: "ended" });
    await sessions.client.send(id, { id: randomUUID(), text: "again", delivery: "steer" });
    await sessions.untilState(id, "idle", events.at(-1)!.seq);
    const results = resultTexts(model.requests.at(-1)!.messages);
    expect(results).toHaveLength(1);
  });

  it("is told as ended when it was terminated, keeps what it did, and send reopens it", async () => {
    const model = fakeModel((turn) =>
      turn === 1 ? [bash("echo kept")] : turn === 2 ? new ModelError("auth", "no key") : "fine",
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    const before = await sessions.untilState(id, "blocked");
    await (await temporal(sessions)).workflow.getHandle(workflowIdOf(id)).terminate("by hand");
    const account = await sessions.client.account(id);
    expect(account.summary.state).toBe("ended");
    expect(account.cause).toMatch(/terminated by .*: by hand/);
    expect(account.messages).toHaveLength(3);
    expect(account.live).toBeUndefined();
    expect(await sessions.client.state(id)).toMatchObject({ state: "ended", pending: [] });
    await sessions.client.send(id, { id: randomUUID(), text: "again", delivery: "steer" });
    await sessions.untilState(id, "blocked", before.at(-1)!.seq);
    expect(resultTexts(model.requests.at(-1)!.messages)[0]).toContain("kept");
  });

  it("takes signals of any shape without a failed workflow task", async () => {
    const model = fakeModel((turn) => (turn === 1 ? [bash("true")] : "fine"));
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const handle = (await temporal(sessions)).workflow.getHandle(workflowIdOf(id));
    for (const [name, payload] of [
      ["decide", { id: "1", approvalId: 5 }],
      ["decide", null],
      ["prompt", { id: "2" }],
      ["prompt", "text"],
      ["no-such-signal", { x: 1 }],
      ["configure", { id: "3", approval: "auto" }],
      ["configure", { id: "4", approval: "sudo" }],
      ["abort", []],
    ] as const) {
      await handle.signal(name, payload);
    }
    let told = 0;
    const { events } = await sessions.until(id, (item) => {
      if (item.kind === "event" && item.event.type === "notice") told += 1;
      return told === 8;
    });
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toHaveLength(8);
    expect(notices.join("\n")).toMatch(/unknown signal "no-such-signal"/);
    expect(notices.join("\n")).toMatch(/approval level or model carried no valid proof/);
    expect(await sessions.client.state(id)).toMatchObject({ state: "waiting", settings: { approval: "ask" } });
    const history = await handle.fetchHistory();
    expect(history.events?.filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });

  it("goes on in new runs before its history is too long, with the whole transcript (100 turns × 60 KB)", {
    timeout: 120_000,
  }, async () => {
    const turns = 100;
    const seen: number[] = [];
    const model = fakeModel((turn, request) => {
      seen.push(request.messages.length);
      return turn > turns ? "done" : [toolCall("big", { turn }), toolCall("big", { turn }), toolCall("big", { turn })];
    });
    const { builtInTools } = await import("../../src/tools/index.ts");
    const { defineTool } = await import("../../src/agent/tool.ts");
    const { Type } = await import("@sinclair/typebox");
    const big = defineTool({
      name: "big",
      label: "Big",
      description: "20 KB",
      effect: "read",
      parameters: Type.Object({ turn: Type.Number() }),
      execute: async (_id, { turn }) => ({ content: [{ type: "text", text: `${turn} ${"x".repeat(20_000)}` }] }),
    });
    const sessions = await TestSessions.start(model, [...builtInTools(), big]);
    const id = await sessions.run("go", { activeTools: ["big"] });
    const events = await sessions.untilState(id, "idle");
    expect(seen).toEqual(Array.from({ length: turns + 1 }, (_, at) => 1 + at * 4));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.filter(({ type }) => type === "agent_start")).toHaveLength(1);
    const account = await sessions.client.account(id);
    expect(account.messages).toHaveLength(1 + turns * 4 + 1);
    const runs: { size: number; length: number }[] = [];
    for await (const run of (await temporal(sessions)).workflow.list({ query: `WorkflowId = '${workflowIdOf(id)}'` })) {
      runs.push({ size: run.historySize ?? 0, length: run.historyLength });
    }
    expect(runs.length).toBeGreaterThan(1);
    for (const run of runs) expect(run.size).toBeLessThan(4 * 1024 * 1024);
  });
});

describe("stopping a turn", () => {
  it("keeps what a running command printed, withdraws approvals, holds the queue and asks the model nothing more", async () => {
    const model = fakeModel((turn) =>
      turn === 1 ? ["working", bash("echo before; sleep 60; touch leaked")] : `answer ${turn}`,
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.until(
      id,
      (item) => item.kind === "live" && item.frame.blocks.some(({ tail }) => tail.includes("before")),
    );
    await sessions.client.send(id, { id: "queued", text: "queued", delivery: "followUp" });
    await sessions.client.abort(id, "me@here");
    const events = await sessions.untilState(id, "stopped");
    expect(await sessions.client.state(id)).toMatchObject({
      state: "stopped",
      cause: "stopped by me@here",
      queued: [{ id: "queued" }],
    });
    const [result] = resultTexts((await sessions.client.account(id)).messages.map(({ message }) => message));
    expect(result).toContain("before");
    expect(model.requests).toHaveLength(1);
    expect(existsSync(join(sessions.workspace, "leaked"))).toBe(false);
    await sessions.client.send(id, { id: "next", text: "next", delivery: "steer" });
    await sessions.untilState(id, "idle", events.at(-1)!.seq);
    expect(resultTexts(model.requests.at(-1)!.messages)).toHaveLength(1);
  });

  it("keeps the partial answer of a stream as aborted, and leaves it out of what the model sees", async () => {
    const model = fakeModel(async (turn, _request, signal) => {
      if (turn > 1) return "fine";
      // The stop may be there before the request is.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return messageOf(["half an ans"], "aborted");
    });
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.until(id, (item) => item.kind === "event" && item.event.type === "message_end");
    await sessions.client.abort(id, "me");
    await sessions.untilState(id, "stopped");
    const { messages } = await sessions.client.account(id);
    expect(messages.at(-1)!.message).toMatchObject({
      role: "assistant",
      stopReason: "aborted",
      content: [{ text: "half an ans" }],
    });
  });
});
