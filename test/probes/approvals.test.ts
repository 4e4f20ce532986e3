// Probes A: decisions that come late, twice, for something else, or from the agent itself; through the real workflow.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FollowItem } from "../../src/client/contract.ts";
import { bash, fakeModel, resultTexts, TestSessions } from "../support/sessions.ts";
import { temporalCli } from "../support/temporal-cli.ts";

const tempi = join(import.meta.dirname, "../../bin/tempi");
const fileText = (sessions: TestSessions, name: string): string | undefined => {
  const path = join(sessions.workspace, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

describe("a decision counts for what was on show, once", () => {
  it("for an unknown, an old and a done approval changes nothing and is told (A01)", async () => {
    const model = fakeModel((turn) => (turn <= 2 ? [bash(`echo ${turn} >> log`)] : "done"));
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { approval: "ask" });
    const first = await nextApproval(sessions, id, "1.1");
    for (const approvalId of ["", "../x", `${first.id}x`, "00000000.1.1.000000000000"]) {
      const outcome = await sessions.client.decide(id, { approvalId, decision: "allow", by: "me" });
      expect(outcome.kind).toBe("refused");
    }
    expect(fileText(sessions, "log")).toBeUndefined();
    await sessions.client.decide(id, { approvalId: first.id, decision: "allow", by: "me" });
    // The answer for the first call comes again while the second one is on show (A08).
    const second = await nextApproval(sessions, id, "2.1");
    expect((await sessions.client.decide(id, { approvalId: first.id, decision: "allow", by: "me" })).kind).toBe(
      "refused",
    );
    expect((await sessions.client.state(id)).pending.map((one) => one.id)).toEqual([second.id]);
    expect(fileText(sessions, "log")).toBe("1\n");
    await sessions.client.decide(id, { approvalId: second.id, decision: "deny", by: "me" });
    await sessions.untilState(id, "idle");
    expect(fileText(sessions, "log")).toBe("1\n");
  });

  it("allows one of 100 calls and no other (A11)", { timeout: 60_000 }, async () => {
    const calls = Array.from({ length: 100 }, (_, at) => bash(`echo ${at} >> log`));
    const sessions = await TestSessions.start(fakeModel((turn) => (turn === 1 ? calls : "done")));
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    expect(pending).toHaveLength(100);
    const chosen = pending.find(({ summary }) => summary.startsWith("echo 42 "))!;
    expect(await sessions.client.decide(id, { approvalId: chosen.id, decision: "allow", by: "me" })).toEqual({
      kind: "accepted",
    });
    expect((await sessions.client.state(id)).pending).toHaveLength(99);
    for (const { id: approvalId } of pending) {
      if (approvalId !== chosen.id) await sessions.client.decide(id, { approvalId, decision: "deny", by: "me" });
    }
    await sessions.untilState(id, "idle");
    expect(fileText(sessions, "log")).toBe("42\n");
  });
});

it("a session's own commands cannot answer by the command line, nor by a raw signal (A12)", {
  timeout: 60_000,
}, async () => {
  const cli = await temporalCli();
  let line = "";
  const model = fakeModel((turn, request) => {
    const asked = JSON.stringify(request.messages[0]);
    if (asked.includes("attack") && turn === 1) return [bash(line)];
    return asked.includes("victim") && turn === 1 ? [bash("echo x > victim")] : "done";
  });
  const sessions = await TestSessions.start(model);
  const victim = await sessions.run("victim", { approval: "ask" });
  const { id: approvalId } = await nextApproval(sessions, victim, "1.1");
  const forged = JSON.stringify({ id: "forged", approvalId, decision: "allow", by: "ann@host", proof: "00" });
  line = [
    `TEMPI_HOME='${sessions.home.root}' '${process.execPath}' '${tempi}' approve ${victim} ${approvalId} 2>&1`,
    `'${cli}' workflow signal --address ${sessions.address} --workflow-id session-${victim} --name decide --input '${forged}' 2>&1`,
  ].join("; ");
  const attack = await sessions.run("attack", { approval: "auto" });
  await sessions.untilState(attack, "idle");
  const [output] = resultTexts(model.requests.at(-1)!.messages);
  expect(output).toContain("approve is refused inside a session's own commands");
  const told = (item: FollowItem) => item.kind === "event" && item.event.type === "decision_refused";
  const { events } = await sessions.until(victim, told);
  expect(events.at(-1)).toMatchObject({ approvalId, reason: expect.stringContaining("no valid proof") });
  expect((await sessions.client.state(victim)).pending).toHaveLength(1);
  expect(fileText(sessions, "victim")).toBeUndefined();
});

async function nextApproval(sessions: TestSessions, id: string, callId: string) {
  const asks = (item: FollowItem) =>
    item.kind === "event" && item.event.type === "approval_requested" && item.event.approval.toolCallId === callId;
  const { events } = await sessions.until(id, asks);
  const event = events.at(-1);
  if (event?.type !== "approval_requested") throw new Error("no approval");
  return event.approval;
}
