import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { noUsage, textOf } from "../../src/agent/messages.ts";
import { bash, fakeModel, messageOf, TestSessions, toolCall } from "../support/sessions.ts";

const checkLines = (sessions: TestSessions): string[] =>
  readFileSync(join(sessions.workspace, "checks"), "utf8").trim().split("\n");

describe("until", () => {
  it("runs after each answer; its failure goes to the model, its success ends the work", async () => {
    const model = fakeModel((turn) =>
      turn === 2 ? [toolCall("write", { path: "ok", content: "" })] : `answer ${turn}`,
    );
    const sessions = await TestSessions.start(model);
    const until = "echo x >> checks; test -e ok || { seq 1 300; echo broken; exit 7; }";
    const id = await sessions.run("go", { until });
    const events = await sessions.untilState(id, "idle");
    expect(checkLines(sessions)).toHaveLength(2);
    const calls = events.flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
    expect(calls).toMatchObject([
      { toolName: "until", toolCallId: "1.until", isError: true },
      { toolName: "write", isError: false },
      { toolName: "until", toolCallId: "3.until", isError: false },
    ]);
    const told = model.requests[1]!.messages.at(-1)!;
    expect(told.role).toBe("user");
    const text = textOf(told.content);
    expect(text).toContain(`exits with 0: ${until}\nIt exited with code 7.`);
    expect(text.split("\n").at(-1)).toBe("broken");
    // The last 200 lines, and no more.
    expect(text).toContain("\n102\n");
    expect(text).not.toContain("\n101\n");
  });

  it("stops at the third failure of the same kind, whatever its numbers; the history tells all of it", async () => {
    const model = fakeModel((turn) => `answer ${turn}`);
    const sessions = await TestSessions.start(model);
    const until = "echo x >> checks; echo failed in $(wc -l < checks) ms; exit 1";
    const id = await sessions.run("go", { until });
    const events = await sessions.untilState(id, "stopped");
    expect(checkLines(sessions)).toHaveLength(3);
    expect(events.at(-2)).toMatchObject({ type: "agent_end", reason: "until" });
    expect(events.at(-1)).toMatchObject({
      state: "stopped",
      cause: expect.stringContaining("failed the same way 3 times in a row"),
    });
    await sessions.stopWorker();
    const { messages } = await sessions.client.account(id, { recorded: true });
    expect(textOf(messages.at(-1)!.message.content)).toContain("failed in 3 ms");
    expect(messages).toHaveLength(7);
  });

  it("counts failures of another kind anew, and a new prompt too", async () => {
    const model = fakeModel((turn) => `answer ${turn}`);
    const sessions = await TestSessions.start(model);
    const until = "echo x >> checks; n=$(wc -l < checks); test $n = 3 && echo other; test $n -ge 6";
    const id = await sessions.run("go", { until, maxTurns: 4 });
    const stopped = await sessions.untilState(id, "stopped");
    expect(stopped.at(-2)).toMatchObject({ reason: "maxTurns" });
    await sessions.client.send(id, { id: "more", text: "more", delivery: "steer" });
    await sessions.untilState(id, "idle", stopped.at(-1)!.seq);
    expect(checkLines(sessions)).toHaveLength(6);
  });

  it("runs once across the death of its worker", async () => {
    const model = fakeModel((turn) => `answer ${turn}`);
    const sessions = await TestSessions.start(model);
    const until = "echo x >> checks; while ! test -e go; do sleep 0.05; done";
    const id = await sessions.run("go", { until });
    await sessions.until(id, (item) => item.kind === "event" && item.event.type === "tool_execution_start");
    await vi.waitFor(() => checkLines(sessions));
    await sessions.stopWorker();
    await sessions.startWorker(model);
    writeFileSync(join(sessions.workspace, "go"), "");
    await sessions.untilState(id, "idle");
    expect(checkLines(sessions)).toHaveLength(1);
  });
});

describe("a time limit", () => {
  it("stops the work with what was done, also while a command runs", { timeout: 30_000 }, async () => {
    const sessions = await TestSessions.start(fakeModel(() => [bash("echo begun; sleep 60")]));
    const id = await sessions.run("go", { timeoutMs: 1_500 });
    const events = await sessions.untilState(id, "stopped");
    expect(events.findLast(({ type }) => type === "agent_end")).toMatchObject({ reason: "timeout" });
    expect(events.at(-1)).toMatchObject({ cause: "the time limit of 2 s is reached" });
  });

  it("leaves what ends in time alone, and holds for each piece of work anew", async () => {
    const sessions = await TestSessions.start(fakeModel((turn) => `answer ${turn}`));
    const id = await sessions.run("go", { timeoutMs: 60_000 });
    const seen = (await sessions.untilState(id, "idle")).at(-1)!.seq;
    await sessions.client.send(id, { id: "more", text: "more", delivery: "steer" });
    expect((await sessions.untilState(id, "idle", seen)).at(-1)).toMatchObject({ state: "idle" });
  });
});

describe("a budget", () => {
  const costly = (turn: number) => ({
    ...messageOf(turn <= 4 ? [bash(`echo ${turn} >> done`)] : ["done"], turn <= 4 ? "toolUse" : "stop"),
    usage: { ...noUsage(), input: 10, output: 5, cost: 2 },
  });

  it("asks for as much again before the next request; denied, the work stops and what was done stays", async () => {
    const model = fakeModel(costly);
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { budget: 3 });
    const asked = await sessions.untilState(id, "waiting");
    expect(asked.at(-1)).toMatchObject({ cause: "the budget is spent and waits for your decision" });
    expect(model.requests).toHaveLength(2);
    const [approval] = (await sessions.client.state(id)).pending;
    expect(approval).toMatchObject({ kind: "budget", toolName: "budget", summary: "+$3.00?", reason: "budget" });
    expect(await sessions.client.decide(id, { approvalId: approval!.id, decision: "allow", by: "me" })).toEqual({
      kind: "accepted",
    });
    const again = await sessions.untilState(id, "waiting", asked.at(-1)!.seq);
    expect(model.requests).toHaveLength(3);
    const [second] = (await sessions.client.state(id)).pending;
    expect(second!.display).toEqual([
      { kind: "text", text: expect.stringContaining("$6.00 of $6.00 are spent. Allow $3.00 more?") },
    ]);
    await sessions.client.decide(id, { approvalId: second!.id, decision: "deny", by: "me" });
    const events = await sessions.untilState(id, "stopped", again.at(-1)!.seq);
    expect(events.at(-1)).toMatchObject({ cause: "the budget of $6.00 is spent ($6.00)" });
    expect(readFileSync(join(sessions.workspace, "done"), "utf8")).toBe("1\n2\n3\n");
  });

  it("waits through the death of its worker, and a stop withdraws it", async () => {
    const model = fakeModel(costly);
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { budget: 1 });
    const asked = await sessions.untilState(id, "waiting");
    await sessions.stopWorker();
    await sessions.startWorker(model);
    expect((await sessions.client.state(id)).pending).toHaveLength(1);
    await sessions.client.abort(id, "me");
    const events = await sessions.untilState(id, "stopped", asked.at(-1)!.seq);
    expect(events).toContainEqual(expect.objectContaining({ type: "approval_resolved", decision: "withdrawn" }));
    expect(model.requests).toHaveLength(1);
  });
});
