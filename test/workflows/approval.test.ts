import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import type { Approval } from "../../src/agent/approval.ts";
import type { FollowItem } from "../../src/client/contract.ts";
import { signDecision } from "../../src/client/decide.ts";
import { decideSignal, workflowIdOf } from "../../src/protocol/session.ts";
import { bash, fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";
import { temporalCli } from "../support/temporal-cli.ts";

const asking = (...calls: ReturnType<typeof bash>[]) => fakeModel((turn) => (turn === 1 ? calls : `answer ${turn}`));

async function waiting(
  model: ReturnType<typeof fakeModel>,
): Promise<{ sessions: TestSessions; id: string; pending: Approval[] }> {
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("go", { approval: "ask" });
  await sessions.untilState(id, "waiting");
  return { sessions, id, pending: (await sessions.client.state(id)).pending };
}

const log = (sessions: TestSessions) => join(sessions.workspace, "log");

describe("an approval", () => {
  it("waits, is listed with what would run, and runs once when it is allowed", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    expect(pending).toMatchObject([
      {
        toolName: "bash",
        toolCallId: "1.1",
        summary: "echo x >> log",
        reason: expect.any(String),
        cwd: sessions.workspace,
      },
    ]);
    expect(pending[0]!.display).toEqual([expect.objectContaining({ kind: "command", command: "echo x >> log" })]);
    expect((await sessions.client.list()).find((summary) => summary.id === id)).toMatchObject({
      state: "waiting",
      waiting: 1,
    });
    expect(existsSync(log(sessions))).toBe(false);
    const approvalId = pending[0]!.id;
    expect(await sessions.client.decide(id, { approvalId, decision: "allow", by: "ann@host" })).toEqual({
      kind: "accepted",
    });
    const events = await sessions.untilState(id, "idle");
    expect(readFileSync(log(sessions), "utf8")).toBe("x\n");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "approval_resolved", decision: "allow", by: "ann@host" }),
    );
    // Late, second and unknown ones change nothing and say so.
    for (const late of [approvalId, "no-such-approval"]) {
      expect(await sessions.client.decide(id, { approvalId: late, decision: "allow", by: "bob@host" })).toMatchObject({
        kind: "refused",
      });
    }
    expect(readFileSync(log(sessions), "utf8")).toBe("x\n");
  });

  it("tells the model why it was denied, and the rest of the batch goes on", async () => {
    const model = asking(bash("echo a >> log"), bash("echo b >> log"));
    const { sessions, id, pending } = await waiting(model);
    const [first, second] = pending;
    await sessions.client.decide(id, { approvalId: second!.id, decision: "allow", by: "me" });
    expect(existsSync(log(sessions))).toBe(false);
    await sessions.client.decide(id, {
      approvalId: first!.id,
      decision: "deny",
      reason: "use the other file",
      by: "me",
    });
    await sessions.untilState(id, "idle");
    expect(readFileSync(log(sessions), "utf8")).toBe("b\n");
    expect(resultTexts(model.requests.at(-1)!.messages)[0]).toContain("use the other file");
    expect((await sessions.client.state(id)).deniedCalls).toBe(1);
  });

  it("takes no decision without a proof, with another's proof, or for other arguments than were signed (A02, A09)", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    const approvalId = pending[0]!.id;
    const client = new Client({ connection: await Connection.connect({ address: sessions.address }) });
    const handle = client.workflow.getHandle(workflowIdOf(id));
    const signed = signDecision(sessions.home, { approvalId, decision: "deny", by: "me" });
    const forged = [
      { ...signed, id: randomUUID(), proof: "" },
      { ...signed, id: randomUUID(), proof: "00".repeat(32) },
      { ...signed, id: randomUUID(), decision: "allow" as const },
      {
        ...signDecision(sessions.home, { approvalId, decision: "allow", by: "me" }),
        id: randomUUID(),
        args: { command: "touch evil" },
      },
      {
        ...signDecision(sessions.home, { approvalId, decision: "allow", by: "me" }),
        id: randomUUID(),
        by: "someone else",
      },
    ];
    for (const decision of forged) await handle.signal(decideSignal, decision);
    let refused = 0;
    await sessions.until(id, (item) => {
      if (item.kind === "event" && item.event.type === "decision_refused") refused += 1;
      return refused === forged.length;
    });
    expect(await sessions.client.state(id)).toMatchObject({ state: "waiting", pending: [{ id: approvalId }] });
    // The same signal twice counts once.
    await handle.signal(decideSignal, signed);
    await handle.signal(decideSignal, signed);
    const events = await sessions.untilState(id, "idle");
    expect(events.filter(({ type }) => type === "approval_resolved")).toHaveLength(1);
    expect(existsSync(log(sessions))).toBe(false);
  });

  it("lets the first valid decision stand when two people answer at once (A05)", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    const approvalId = pending[0]!.id;
    const outcomes = await Promise.all([
      sessions.client.decide(id, { approvalId, decision: "allow", by: "ann" }),
      sessions.client.decide(id, { approvalId, decision: "deny", by: "bob" }),
    ]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["accepted", "refused"]);
    const events = await sessions.untilState(id, "idle");
    expect(events.filter(({ type }) => type === "approval_resolved")).toHaveLength(1);
    expect(existsSync(log(sessions))).toBe(outcomes[0]!.kind === "accepted");
  });

  it("runs what the approver made of the arguments, after checking them again", async () => {
    const model = asking(bash("echo model >> log"));
    const { sessions, id, pending } = await waiting(model);
    const approvalId = pending[0]!.id;
    const invalid = await sessions.client.decide(id, {
      approvalId,
      decision: "allow",
      args: { command: 5, timeout: "x" },
      by: "me",
    });
    expect(invalid).toMatchObject({ kind: "refused", reason: expect.stringMatching(/timeout/) });
    expect((await sessions.client.state(id)).pending).toHaveLength(1);
    const args = { command: "echo person >> log" };
    expect(await sessions.client.decide(id, { approvalId, decision: "allow", args, by: "me" })).toEqual({
      kind: "accepted",
    });
    const events = await sessions.untilState(id, "idle");
    expect(readFileSync(log(sessions), "utf8")).toBe("person\n");
    expect(events.find(({ type }) => type === "approval_resolved")).toMatchObject({ edited: args.command });
    expect(resultTexts(model.requests.at(-1)!.messages).join()).toContain(
      `A person changed the arguments of this call before allowing it. It ran with: ${JSON.stringify(args)}`,
    );
    // The stored call keeps what the model sent.
    const call = model.requests
      .at(-1)!
      .messages.flatMap((message) => (message.role === "assistant" ? message.content : []))
      .find((block) => block.type === "toolCall");
    expect(call).toMatchObject({ arguments: { command: "echo model >> log" } });
  });

  it("remembers exactly what was allowed for this session, and nothing wider (S20)", async () => {
    const model = fakeModel((turn) => {
      if (turn <= 2) return [bash("echo x >> log")];
      return turn === 3 ? [bash("echo x >> log; true")] : "done";
    });
    const { sessions, id, pending } = await waiting(model);
    await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", remember: "session", by: "me" });
    await sessions.until(
      id,
      (item) =>
        item.kind === "event" && item.event.type === "approval_requested" && item.event.approval.toolCallId === "3.1",
    );
    expect(readFileSync(log(sessions), "utf8")).toBe("x\nx\n");
    const { rules } = await sessions.client.state(id);
    expect(rules).toMatchObject([{ text: "bash: echo x >> log", by: "me" }]);
  });

  it("takes back what was allowed for the session: the next one asks again", async () => {
    const model = fakeModel((turn) => (turn <= 2 ? [bash("echo x >> log")] : "done"));
    const { sessions, id, pending } = await waiting(model);
    await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", remember: "session", by: "me" });
    await sessions.untilState(id, "idle");
    const [rule] = (await sessions.client.state(id)).rules;
    await sessions.client.configure(id, { forget: [rule!.key, "unknown"] });
    const forgot = (item: FollowItem) => item.kind === "event" && item.event.type === "configured";
    const { events } = await sessions.until(id, forgot);
    expect(events.at(-1)).toMatchObject({ changes: { forgot: "bash: echo x >> log" } });
    await sessions.client.send(id, { id: "again", text: "again", delivery: "steer" });
    await sessions.untilState(id, "idle", events.at(-1)!.seq);
    expect((await sessions.client.state(id)).rules).toEqual([]);
  });

  it("does not answer cards already on show by a rule that is made meanwhile", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log"), bash("echo x >> log")));
    expect(pending).toHaveLength(2);
    await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", remember: "session", by: "me" });
    expect((await sessions.client.state(id)).pending.map(({ id: left }) => left)).toEqual([pending[1]!.id]);
    await sessions.client.decide(id, { approvalId: pending[1]!.id, decision: "deny", by: "me" });
    await sessions.untilState(id, "idle");
    expect(readFileSync(log(sessions), "utf8")).toBe("x\n");
  });

  it("records who decided, when and how, also through the Temporal command line with a printed proof", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    const decision = { approvalId: pending[0]!.id, decision: "allow", by: "ann@host" } as const;
    const words = sessions.client.decisionSignal(id, decision);
    await promisify(execFile)(await temporalCli(), words);
    const events = await sessions.untilState(id, "idle");
    expect(events.find(({ type }) => type === "approval_resolved")).toMatchObject({
      decision: "allow",
      by: "ann@host",
      via: "signal",
      at: expect.any(Number),
    });
    expect(readFileSync(log(sessions), "utf8")).toBe("x\n");
  });

  it("takes no proof that was made for another way or another person", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    const signed = signDecision(sessions.home, {
      approvalId: pending[0]!.id,
      decision: "allow",
      by: "ann@host",
      via: "page",
    });
    const connection = await Connection.connect({ address: sessions.address });
    const handle = new Client({ connection }).workflow.getHandle(workflowIdOf(id));
    await handle.signal(decideSignal, { ...signed, via: "terminal" });
    await handle.signal(decideSignal, { ...signed, id: "second", by: "bob@host" });
    const refused = (item: FollowItem) =>
      item.kind === "event" && item.event.type === "decision_refused" && item.event.by === "bob@host";
    await sessions.until(id, refused);
    await connection.close();
    expect(existsSync(log(sessions))).toBe(false);
  });

  it("does not run what changed after it was allowed: the file is another now (A02, F13)", async () => {
    const edit = toolCall("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] });
    const sessions = await TestSessions.start(asking(edit, bash("true")));
    writeFileSync(join(sessions.workspace, "a.txt"), "one\n");
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    expect(pending[0]!.display).toEqual([
      expect.objectContaining({ kind: "diff", patch: expect.stringContaining("+two") }),
    ]);
    writeFileSync(join(sessions.workspace, "a.txt"), "one\nand a line by someone else\n");
    for (const { id: approvalId } of pending)
      await sessions.client.decide(id, { approvalId, decision: "allow", by: "me" });
    await sessions.untilState(id, "idle");
    expect(readFileSync(join(sessions.workspace, "a.txt"), "utf8")).toBe("one\nand a line by someone else\n");
  });

  it("runs two allowed edits of one file in source order, each on what the first left (case 40)", async () => {
    const change = (oldText: string, newText: string, path: string) =>
      toolCall("edit", { path, edits: [{ oldText, newText }] });
    const sessions = await TestSessions.start(
      asking(change("line 50\n", "fifty\n", "a.txt"), change("line 75\n", "seventy-five\n", "./a.txt")),
    );
    writeFileSync(join(sessions.workspace, "a.txt"), Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join(""));
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    for (const { id: approvalId } of (await sessions.client.state(id)).pending) {
      await sessions.client.decide(id, { approvalId, decision: "allow", by: "me" });
    }
    await sessions.untilState(id, "idle");
    const text = readFileSync(join(sessions.workspace, "a.txt"), "utf8");
    expect(text).toContain("fifty\n");
    expect(text).toContain("seventy-five\n");
  });

  it("is withdrawn by a stop, and a late answer changes nothing (case 65, A06)", async () => {
    const { sessions, id, pending } = await waiting(asking(bash("echo x >> log")));
    await sessions.client.abort(id, "me");
    const events = await sessions.untilState(id, "stopped");
    expect(events).toContainEqual(expect.objectContaining({ type: "approval_resolved", decision: "withdrawn" }));
    expect(await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", by: "me" })).toMatchObject(
      { kind: "refused" },
    );
    expect(existsSync(log(sessions))).toBe(false);
  });

  it("survives the death of its worker: the same id is answered after another took over (A07, case 64)", async () => {
    const model = asking(bash("echo x >> log"));
    const { sessions, id, pending } = await waiting(model);
    await sessions.stopWorker();
    await sessions.startWorker(model);
    expect((await sessions.client.state(id)).pending).toEqual(pending);
    expect(await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", by: "me" })).toEqual({
      kind: "accepted",
    });
    await sessions.untilState(id, "idle");
    expect(readFileSync(log(sessions), "utf8")).toBe("x\n");
  });
});

describe("approval levels", () => {
  it("ask nothing for reading, and for edits inside the workspace only at level ask", async () => {
    const write = toolCall("write", { path: "new.txt", content: "x" });
    // Not in the temporary folder either, where writing is free.
    const outside = toolCall("write", { path: join(homedir(), "tempi-test-never-written"), content: "x" });
    const model = fakeModel((turn) => {
      if (turn === 1) return [toolCall("read", { path: "a.txt" }), bash("ls"), write];
      return turn === 2 ? [outside, toolCall("write", { path: ".git/hooks/pre-commit", content: "x" })] : "done";
    });
    const sessions = await TestSessions.start(model);
    writeFileSync(join(sessions.workspace, "a.txt"), "x");
    const id = await sessions.run("go", { approval: "edits" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    expect(pending.map(({ reason, toolCallId }) => [toolCallId, reason])).toEqual([
      ["2.1", "outside-workspace"],
      ["2.2", "protected-file"],
    ]);
    expect(existsSync(join(sessions.workspace, "new.txt"))).toBe(true);
    const auto = await sessions.run("go", { approval: "auto" });
    await sessions.untilState(auto, "waiting");
    expect((await sessions.client.state(auto)).pending).toHaveLength(2);
  });
});
