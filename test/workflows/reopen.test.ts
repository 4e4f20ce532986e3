import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { expect, it } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
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

it("an earlier run that was deleted is said to be missing, and the rest is followed and told", {
  timeout: 60_000,
}, async () => {
  const sessions = await TestSessions.start(fakeModel((turn) => `answer ${turn}`));
  const id = await sessions.run("first", {}, { closeAfterMs: 0 });
  const { events } = await sessions.until(id, (item) => item.kind === "closed");
  const { runId } = (await sessions.client.list()).find((session) => session.id === id)!;
  await sessions.client.send(id, { id: randomUUID(), text: "second", delivery: "steer" });
  await sessions.until(id, (item) => item.kind === "closed", events.at(-1)!.seq);
  const client = await temporal(sessions);
  const workflowExecution = { workflowId: workflowIdOf(id), runId };
  await client.workflowService.deleteWorkflowExecution({ namespace: "default", workflowExecution });
  // Deleting is a task of the server's own; it is done when the run cannot be described any more.
  await expect
    .poll(
      () =>
        client.workflow
          .getHandle(workflowIdOf(id), runId)
          .describe()
          .then(
            () => "there",
            () => "gone",
          ),
      { timeout: 30_000 },
    )
    .toBe("gone");
  const { items } = await sessions.until(id, (item) => item.kind === "closed");
  expect(items).toContainEqual(expect.objectContaining({ kind: "resync" }));
  expect(items.filter(({ kind }) => kind === "event").length).toBeGreaterThan(3);
  expect((await sessions.client.account(id)).messages.length).toBeGreaterThan(0);
});
