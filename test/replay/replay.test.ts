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

/**
 * The same history as a worker writes it that was asked a query between two tasks: the signal comes in the task that also
 * brings what it answers. The task it had for itself is taken out.
 */
function joined(history: { events: Event[] }, signal: Event): { events: Event[] } {
  const at = history.events.indexOf(signal);
  const isTask = (event: Event) => event.eventType.startsWith("EVENT_TYPE_WORKFLOW_TASK");
  const before = history.events.findLastIndex(
    (event, index) => index < at && event.eventType.endsWith("TASK_SCHEDULED"),
  );
  const own = history.events.slice(at + 1, at + 4);
  expect(own.every(isTask)).toBe(true);
  const rest = history.events.filter((event) => event !== signal && !own.includes(event));
  const events = [...rest.slice(0, before), signal, ...rest.slice(before)];
  const place = new Map(events.map((event, index) => [event.eventId, String(index + 1)]));
  // What the task caused is now caused by the one before it.
  own.forEach((event, index) => {
    place.set(event.eventId, place.get(history.events[before + index]!.eventId)!);
  });
  const renumbered = JSON.stringify(events).replace(
    /"(eventId|\w+EventId)":"(\d+)"/g,
    (_, name, id) => `"${name}":"${place.get(id) ?? id}"`,
  );
  return { events: JSON.parse(renumbered) };
}

const decided = names.flatMap((name) => {
  const history = read(name) as { events: Event[] };
  const first = history.events.find(
    ({ workflowExecutionSignaledEventAttributes: told }) => told?.signalName === "decide",
  );
  return first && isAnsweredAtOnce(history.events, first) ? [{ name, history, first }] : [];
});

/** Nothing else came between the asking and the decision. */
function isAnsweredAtOnce(events: Event[], signal: Event): boolean {
  const before = events.slice(0, events.indexOf(signal)).map(({ eventType }) => eventType.slice("EVENT_TYPE_".length));
  while (/^(UPSERT|WORKFLOW_PROPERTIES)/.test(before.at(-1)!)) before.pop();
  return (
    before.slice(-4).join() ===
    "ACTIVITY_TASK_COMPLETED,WORKFLOW_TASK_SCHEDULED,WORKFLOW_TASK_STARTED,WORKFLOW_TASK_COMPLETED"
  );
}

it.each(decided)("a decision in the very task that asks: $name", async ({ history, first }) => {
  await replay(joined(history, first), "session-replay");
});

it("tries decisions in the very task that asks", () => {
  expect(decided.length).toBeGreaterThan(10);
});

interface Event {
  eventId: string;
  eventType: string;
  workflowExecutionSignaledEventAttributes?: { signalName: string };
}
