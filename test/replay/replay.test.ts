import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { expect, it } from "vitest";
import { payloadConverterPath, workflowBundle } from "../../src/worker/workflow-bundle.ts";

/**
 * Histories of sessions that earlier code recorded must replay with the code of today: else a session that is open while
 * tempi is upgraded would hang. `npm run record-histories` records anew, at a release or with a version of a payload.
 */
const folder = join(import.meta.dirname, "histories");
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
const cache = join(tmpdir(), "tempi-test-cache");
mkdirSync(cache, { recursive: true });
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger("ERROR", () => undefined) });

async function replay(history: { events: { eventId: string }[] }, workflowId: string): Promise<void> {
  await Worker.runReplayHistory(
    { workflowBundle: await workflowBundle(cache), dataConverter: { payloadConverterPath } },
    history,
    workflowId,
  );
}

const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

it("has histories of every feature", () => {
  expect(names.length).toBeGreaterThan(20);
  const text = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  for (const kind of ["SIGNALED", "ACTIVITY_TASK_CANCEL_REQUESTED", "TIMER_STARTED", "WORKFLOW_EXECUTION_TERMINATED"]) {
    expect(text).toContain(kind);
  }
});

it.each(names)("%s", async (name) => {
  await replay(read(name), "session-replay");
});

it("sees a history that this code would not have made", async () => {
  const history = read(names[0]!);
  const scheduled = history.events.find(
    (event: { activityTaskScheduledEventAttributes?: unknown }) => event.activityTaskScheduledEventAttributes,
  );
  scheduled.activityTaskScheduledEventAttributes.activityType.name = "another";
  await expect(replay(history, "session-replay")).rejects.toThrow(/nondeterminism/i);
});
