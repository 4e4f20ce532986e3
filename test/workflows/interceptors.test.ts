import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventsQuery, promptSignal, workflowIdOf } from "../../src/protocol/session.ts";
import { isAheadOfTask } from "../../workflows/interceptors.ts";
import { fakeModel, TestSessions } from "../support/sessions.ts";

describe("events outside any workflow task", () => {
  const task = { historyLength: 10, startedAt: 1_000n };

  it("are known by a history that is longer while no task began", () => {
    expect(isAheadOfTask(task, { historyLength: 14, startedAt: 1_000n })).toBe(true);
  });

  it("are neither the first task, nor the next one, nor more of the same one", () => {
    expect(isAheadOfTask(undefined, task)).toBe(false);
    expect(isAheadOfTask(task, { historyLength: 14, startedAt: 1_001n })).toBe(false);
    expect(isAheadOfTask(task, task)).toBe(false);
  });
});

it("a question that waited for a worker is answered with what also its successor would say, or not at all", {
  timeout: 60_000,
}, async () => {
  const model = fakeModel((turn) => `answer ${turn}`);
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("one");
  let seen = (await sessions.untilState(id, "idle")).at(-1)!.seq;
  const connection = await Connection.connect({ address: sessions.address });
  onTestFinished(() => connection.close());
  const handle = new Client({ connection }).workflow.getHandle(workflowIdOf(id));
  const answers: string[] = [];
  for (let round = 1; round <= 4; round++) {
    await sessions.stopWorker();
    // Questions first, so that the engine keeps them for whoever comes; then what they must not be told before its time.
    const asked = Array.from({ length: 8 }, () =>
      handle.query(eventsQuery, 0).then(
        (page) => {
          if (!("error" in page)) answers.push(...page.events.map((event) => JSON.stringify(event)));
        },
        () => undefined,
      ),
    );
    // That they have arrived there is told by nothing.
    await sleep(200);
    await handle.signal(promptSignal, { id: `p${round}`, text: "more", at: Date.now(), delivery: "steer" });
    await handle.signal("abort", { id: `a${round}`, by: "test" });
    await sessions.startWorker(model);
    await Promise.all(asked);
    await handle.signal(promptSignal, { id: `q${round}`, text: "and more", at: Date.now(), delivery: "steer" });
    seen = (await sessions.untilState(id, "idle", seen)).at(-1)!.seq;
  }
  await sessions.stopWorker();
  await sessions.startWorker(model);
  const now = await handle.query(eventsQuery, 0);
  if ("error" in now) throw new Error(now.error);
  const known = new Set(now.events.map((event) => JSON.stringify(event)));
  expect(answers.length).toBeGreaterThan(0);
  expect(answers.filter((told) => !known.has(told))).toEqual([]);
});
