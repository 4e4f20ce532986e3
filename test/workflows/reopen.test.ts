import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { expect, it } from "vitest";
import { textOf, toolCallsOf } from "../../src/agent/messages.ts";
import { workflowIdOf } from "../../src/protocol/session.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

async function temporal(sessions: TestSessions): Promise<Client> {
  return new Client({ connection: await Connection.connect({ address: sessions.address }) });
}

it("a terminated session is reopened with what was queued, and asks as it was told to", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("sleep 30")] : "answer"));
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("first");
  await sessions.until(
    id,
    (item) => item.kind === "live" || (item.kind === "event" && item.event.type === "tool_execution_start"),
  );
  await sessions.client.configure(id, { approval: "ask" });
  await sessions.client.send(id, { id: "queued", text: "queued", delivery: "followUp" });
  await sessions.until(id, (item) => item.kind === "event" && item.event.type === "configured");
  const client = await temporal(sessions);
  await client.workflow.getHandle(workflowIdOf(id)).terminate("by hand");
  const { events } = await sessions.until(id, (item) => item.kind === "closed");
  await sessions.client.send(id, { id: randomUUID(), text: "again", delivery: "steer" });
  await sessions.untilState(id, "idle", events.at(-1)!.seq);
  expect((await sessions.client.state(id)).settings.approval).toBe("ask");
  const users = (await sessions.client.account(id)).messages.flatMap(({ message }) =>
    message.role === "user" ? [textOf(message.content)] : [],
  );
  expect(users).toEqual(["first", "again", "queued"]);
});

it("an earlier run that cannot be asked is said to be missing, and the rest is followed and told", async () => {
  const model = fakeModel((turn) => `answer ${turn}`);
  const sessions = await TestSessions.start(model);
  await sessions.stopWorker();
  const id = await sessions.run("first");
  const client = await temporal(sessions);
  // It never had a workflow task, so no worker can answer for it.
  await client.workflow.getHandle(workflowIdOf(id)).terminate("by hand");
  await sessions.client.send(id, { id: randomUUID(), text: "second", delivery: "steer" });
  await sessions.startWorker(model);
  const { items } = await sessions.until(id, (item) => item.kind === "event" && item.event.type === "agent_end");
  expect(items).toContainEqual(expect.objectContaining({ kind: "resync" }));
  const users = (await sessions.client.account(id)).messages.flatMap(({ message }) =>
    message.role === "user" ? [textOf(message.content)] : [],
  );
  // What waited in the run that never began is not lost either.
  expect(users).toContain("second");
  await expect.poll(async () => (await sessions.client.state(id)).queued).toEqual([]);
});

it("a session that was terminated in a call or at an approval tells so, and every call has one result", async () => {
  const model = fakeModel(() => [bash("sleep 30"), bash("echo 2")]);
  const sessions = await TestSessions.start(model);
  const waiting = await sessions.run("waits", { approval: "ask" });
  await sessions.untilState(waiting, "waiting");
  const approvalId = (await sessions.client.state(waiting)).pending[0]!.id;
  const running = await sessions.run("runs");
  await sessions.until(running, (item) => item.kind === "event" && item.event.type === "tool_execution_end");
  const client = await temporal(sessions);
  for (const id of [waiting, running]) await client.workflow.getHandle(workflowIdOf(id)).terminate("by hand");
  expect(await sessions.client.decide(waiting, { approvalId, decision: "allow", by: "me" })).toMatchObject({
    kind: "refused",
  });
  for (const id of [waiting, running]) {
    const account = await sessions.client.account(id);
    expect(account.summary.state).toBe("ended");
    expect(account.messages.map(({ message }) => message.role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
    ]);
    const [answer, ...results] = account.messages.slice(1).map(({ message }) => message);
    const ids = answer!.role === "assistant" ? toolCallsOf(answer!).map((call) => call.id) : [];
    expect(results.map((message) => (message.role === "toolResult" ? message.toolCallId : ""))).toEqual(ids);
  }
});
