// What a follower makes of answers that fail while the engine or a worker goes away and comes back: the session is real, and
// single answers are made to fail on their way.
import { type QueryDefinition, ServiceError, type WorkflowHandle } from "@temporalio/client";
import { expect, it, onTestFinished } from "vitest";
import { type ClientContext, closeContext, openContext } from "../../src/client/client-context.ts";
import type { FollowItem } from "../../src/client/contract.ts";
import { followSession } from "../../src/client/follow-session.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

/** A client whose queries fail when `fails` says so, as they do when nobody answers. */
async function unreliable(
  sessions: TestSessions,
  fails: (query: string, runId: string | undefined) => boolean,
): Promise<ClientContext> {
  const context = await openContext({ address: sessions.address, namespace: "default", home: sessions.home });
  onTestFinished(() => closeContext(context));
  const { workflow } = context.client;
  const getHandle = workflow.getHandle.bind(workflow);
  workflow.getHandle = ((workflowId: string, runId?: string) => {
    const handle: WorkflowHandle = getHandle(workflowId, runId);
    const query = handle.query.bind(handle);
    handle.query = ((definition: QueryDefinition<unknown>, ...args: []) =>
      fails(definition.name, runId)
        ? Promise.reject(new ServiceError("Failed to query Workflow"))
        : query(definition, ...args)) as typeof handle.query;
    return handle;
  }) as typeof workflow.getHandle;
  return context;
}

async function follow(context: ClientContext, id: string, ends: (item: FollowItem) => boolean): Promise<FollowItem[]> {
  const stop = new AbortController();
  const items: FollowItem[] = [];
  for await (const item of followSession(context, id, { signal: stop.signal })) {
    items.push(item);
    if (ends(item)) break;
  }
  stop.abort();
  return items;
}

it("an approval is told although nobody answered for the state after its event", async () => {
  const answer = Promise.withResolvers<void>();
  const model = fakeModel(async (turn) => {
    await answer.promise;
    return turn === 1 ? [bash("echo a > a")] : "done";
  });
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("go", { approval: "ask" });
  let waits = false;
  let failed = 0;
  const context = await unreliable(sessions, (query) => query === "state" && waits && failed++ === 0);
  await follow(context, id, (item) => {
    // It knows a state; from now on there is one to miss.
    if (item.kind === "state" && !waits) {
      waits = true;
      answer.resolve();
    }
    return item.kind === "state" && item.state.pending.length === 1;
  });
  expect(failed).toBeGreaterThan(1);
});

it("a run before that does not answer for a moment is asked again: no gap, nothing said to be missing", async () => {
  const sessions = await TestSessions.start(fakeModel((turn) => (turn <= 6 ? [bash(`echo ${turn}`)] : "done")));
  const id = await sessions.run("go", {}, { continueAsNewEvents: 20 });
  await sessions.untilState(id, "idle");
  const { lastEvent } = await sessions.client.state(id);
  let left = 2;
  const context = await unreliable(sessions, (_query, runId) => runId !== undefined && left-- > 0);
  const items = await follow(context, id, (item) => item.kind === "event" && item.event.seq === lastEvent);
  expect(left).toBeLessThanOrEqual(0);
  expect(items.filter(({ kind }) => kind === "resync")).toEqual([]);
  const numbers = items.flatMap((item) => (item.kind === "event" ? [item.event.seq] : []));
  expect(numbers).toEqual(Array.from({ length: lastEvent }, (_, at) => at + 1));
});
