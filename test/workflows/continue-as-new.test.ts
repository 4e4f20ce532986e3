import { Client, Connection } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
import { readRun } from "../../src/client/read-history.ts";
import { transcriptQuery, workflowIdOf } from "../../src/protocol/session.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

/** Runs that are given up early, so that a short session goes through many of them. */
const short = { continueAsNewEvents: 40 };

async function userTexts(sessions: TestSessions): Promise<string[]> {
  const { messages } = await sessions.client.account(sessions.lastId);
  return messages.flatMap(({ message }) => (message.role === "user" ? [textOf(message.content)] : []));
}

async function runsOf(sessions: TestSessions): Promise<{ client: Client; runIds: string[] }> {
  const client = new Client({ connection: await Connection.connect({ address: sessions.address }) });
  const runIds: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowIdOf(sessions.lastId)}'` }))
    runIds.push(runId);
  return { client, runIds };
}

describe("going on in a new run", { timeout: 60_000 }, () => {
  it("loses no prompt that steers, and every run's history tells what its memory held", async () => {
    let sessions!: TestSessions;
    const model = fakeModel(async (turn) => {
      if (turn > 20) return "done";
      await sessions.client.send(sessions.lastId, { id: `p${turn}`, text: `steer ${turn}`, delivery: "steer" });
      return [bash(`echo ${turn}`)];
    });
    sessions = await TestSessions.start(model);
    const id = await sessions.run("first", {}, short);
    await sessions.untilState(id, "idle");
    expect(await userTexts(sessions)).toEqual(["first", ...Array.from({ length: 20 }, (_, at) => `steer ${at + 1}`)]);
    const { client, runIds } = await runsOf(sessions);
    expect(runIds.length).toBeGreaterThan(3);
    for (const runId of runIds) {
      const page = await client.workflow.getHandle(workflowIdOf(id), runId).query(transcriptQuery, 0);
      if ("error" in page) throw new Error(page.error);
      expect((await readRun(client, workflowIdOf(id), runId)).messages.map((stored) => stored.id)).toEqual(
        page.entries.map((entry) => entry.id),
      );
    }
    await client.connection.close();
  });

  it("keeps a follow-up for the end of the work", async () => {
    let sessions!: TestSessions;
    const model = fakeModel(async (turn) => {
      if (turn === 1) await sessions.client.send(sessions.lastId, { id: "f", text: "follow", delivery: "followUp" });
      return turn > 12 ? "done" : [bash(`echo ${turn}`)];
    });
    sessions = await TestSessions.start(model);
    const id = await sessions.run("first", {}, short);
    await sessions.until(id, (item) => item.kind === "event" && item.event.type === "agent_end");
    const { messages } = await sessions.client.account(id);
    const at = messages.findIndex((stored) => stored.id === "f");
    expect(messages.slice(0, at).filter(({ message }) => message.role === "assistant")).toHaveLength(13);
  });

  it("leaves a prompt queued that came in the last turn the limit allowed", async () => {
    let sessions!: TestSessions;
    const model = fakeModel(async (turn) => {
      if (turn === 3) await sessions.client.send(sessions.lastId, { id: "s", text: "steer", delivery: "steer" });
      return [bash(`echo ${turn}`)];
    });
    sessions = await TestSessions.start(model);
    const id = await sessions.run("first", { maxTurns: 3 });
    await sessions.untilState(id, "stopped");
    expect((await sessions.client.state(id)).queued).toEqual([{ id: "s", delivery: "steer", text: "steer" }]);
  });
});
