import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import { decideSignal, workflowIdOf } from "../../src/protocol/session.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { bash, fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

const once = (...calls: ReturnType<typeof bash>[]) => fakeModel((turn) => (turn === 1 ? calls : "done"));

async function handleOf(sessions: TestSessions) {
  const channelArgs = { "grpc.max_receive_message_length": 64 * 1024 * 1024 };
  const client = new Client({ connection: await Connection.connect({ address: sessions.address, channelArgs }) });
  return client.workflow.getHandle(workflowIdOf(sessions.lastId));
}

const allow = async (sessions: TestSessions) => {
  const { pending } = await sessions.client.state(sessions.lastId);
  for (const { id } of pending)
    await sessions.client.decide(sessions.lastId, { approvalId: id, decision: "allow", by: "me" });
};

describe("what anyone can send", () => {
  it("cannot fill the engine's limits: large decisions are refused by a notice", { timeout: 60_000 }, async () => {
    const sessions = await TestSessions.start(once(bash("echo hi > log")));
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const approvalId = (await sessions.client.state(id)).pending[0]!.id;
    const handle = await handleOf(sessions);
    for (const command of ['"\n'.repeat(350_000), ...Array.from({ length: 5 }, () => "x".repeat(1_000_000))]) {
      await handle.signal(decideSignal, {
        id: randomUUID(),
        approvalId,
        decision: "allow",
        args: { command },
        by: "x",
        proof: "00",
      });
    }
    let notices = 0;
    await sessions.until(id, (item) => {
      if (item.kind === "event" && item.event.type === "notice") notices += 1;
      return notices === 6;
    });
    expect(await sessions.client.state(id)).toMatchObject({ state: "waiting" });
    // The server itself interrupts a task that large signals pile up on; what must not be is a task that this code fails.
    const failed = (await handle.fetchHistory()).events?.map(
      (event) => event.workflowTaskFailedEventAttributes?.failure?.message,
    );
    expect(failed?.filter(Boolean)).toEqual([]);
  });

  it("does not overtake: of two valid decisions the one sent first stands", async () => {
    const sessions = await TestSessions.start(once(...Array.from({ length: 12 }, (_, at) => bash(`echo ${at}`))));
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    const { signDecision } = await import("../../src/client/decide.ts");
    const handle = await handleOf(sessions);
    for (const { id: approvalId } of pending) {
      await handle.signal(decideSignal, signDecision(sessions.home, { approvalId, decision: "deny", by: "first" }));
      await handle.signal(decideSignal, signDecision(sessions.home, { approvalId, decision: "allow", by: "second" }));
    }
    const events = await sessions.untilState(id, "idle");
    const resolved = events.flatMap((event) => (event.type === "approval_resolved" ? [event.by] : []));
    expect(resolved).toEqual(pending.map(() => "first"));
  });

  it("is a stop before the work began: nothing is asked of the model", async () => {
    const model = fakeModel(() => "answer");
    const sessions = await TestSessions.start(model);
    await sessions.stopWorker();
    const id = await sessions.run("first");
    await sessions.client.abort(id, "me");
    await sessions.startWorker(model);
    await sessions.untilState(id, "stopped");
    expect(model.requests).toHaveLength(0);
    expect((await sessions.client.state(id)).queued).toHaveLength(1);
  });
});

describe("what changes under a call", () => {
  it("an allowed write does not go through a link that was made after it was shown (A03)", async () => {
    const sessions = await TestSessions.start(once(toolCall("write", { path: "d/new.txt", content: "x" })));
    const outside = join(sessions.workspace, "..", "outside");
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    mkdirSync(outside);
    symlinkSync(outside, join(sessions.workspace, "d"));
    await allow(sessions);
    await sessions.untilState(id, "idle");
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
  });

  it("a write that needs no leave does not follow a link that an earlier call of the answer made (P02)", async () => {
    const model = fakeModel((turn) => {
      if (turn > 1) return "done";
      // These take the slots, so that the write starts after the link is there.
      const slow = Array.from({ length: 20 }, () => bash("du ."));
      return [bash("ln -s ../outside/.ssh d"), ...slow, toolCall("write", { path: "d/authorized_keys", content: "x" })];
    });
    const sessions = await TestSessions.start(model);
    const ssh = join(sessions.workspace, "..", "outside", ".ssh");
    mkdirSync(ssh, { recursive: true });
    const id = await sessions.run("go", { approval: "edits" });
    await sessions.untilState(id, "waiting");
    await allow(sessions);
    await sessions.untilState(id, "idle");
    expect(existsSync(join(ssh, "authorized_keys"))).toBe(false);
    expect(resultTexts(model.requests.at(-1)!.messages).at(-1)).toMatch(/another file than the one that was checked/);
  });

  it.each(["\u00A0", "\uFEFF", "\u2028", "\v", "\f", "\r"])(
    "a command with odd white space is no read-only command (%j)",
    async (space) => {
      const sessions = await TestSessions.start(once(bash(`ls${space}`)));
      const bin = join(sessions.workspace, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, `ls${space}`), "#!/bin/sh\ntouch ran\n");
      chmodSync(join(bin, `ls${space}`), 0o755);
      const id = await sessions.run("go", { approval: "ask" }, { environment: { PATH: `${bin}:/usr/bin:/bin` } });
      await sessions.untilState(id, "waiting");
      expect(existsSync(join(sessions.workspace, "ran"))).toBe(false);
    },
  );
});

describe("what happens to the worker", () => {
  it("a process that stood still does not kill its own command (F07)", { timeout: 60_000 }, async () => {
    const model = once(
      bash("for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 2; done; echo FINISHED >> ends; cat ends"),
    );
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    await sessions.until(
      id,
      (item) => item.kind === "live" && item.frame.blocks.some(({ tail }) => tail.includes("tick 1")),
    );
    // Longer than the heartbeat's time-out: the engine starts another attempt, which attaches again.
    const stall = `kill -STOP ${process.pid}; sleep 12; kill -CONT ${process.pid}`;
    spawn("/bin/sh", ["-c", stall], { detached: true, stdio: "ignore" }).unref();
    await sessions.untilState(id, "idle");
    const [result] = resultTexts(model.requests.at(-1)!.messages);
    expect(result).toContain("FINISHED");
    expect(result?.match(/tick 1$/gm)).toHaveLength(1);
  });

  it("a turn that gave up has all its tries again after retry", async () => {
    let tries = 0;
    const model = fakeModel(() => {
      tries += 1;
      return new ModelError("transient", "down", { retryAfterMs: 1 });
    });
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    const events = await sessions.untilState(id, "blocked");
    const first = tries;
    await sessions.client.retry(id, "me");
    await sessions.untilState(id, "blocked", events.at(-1)!.seq);
    expect(tries).toBe(2 * first);
  });
});
