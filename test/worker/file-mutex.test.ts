import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FileMutex, LockOwner } from "../../activities/services.ts";
import { machineIdOf } from "../../src/config/home.ts";
import { fileMutexWorkflowType } from "../../src/protocol/file-mutex.ts";
import { taskQueueOf } from "../../src/protocol/session.ts";
import { createFileMutex } from "../../src/worker/file-mutex.ts";
import { fakeModel, TestSessions, toolCall } from "../support/sessions.ts";

/** A worker that hosts the locks, and mutexes as that many worker processes would have them. */
async function locks(count: number, continueAsNewEvents?: number) {
  const sessions = await TestSessions.start(fakeModel(() => "done"));
  const connection = await Connection.connect({ address: sessions.address });
  const client = new Client({ connection });
  const machineId = machineIdOf(sessions.home);
  const options = {
    client,
    taskQueue: taskQueueOf(machineId),
    machineId,
    ...(continueAsNewEvents ? { continueAsNewEvents } : {}),
  };
  const all = Array.from({ length: count }, () => createFileMutex(options));
  const mutexes = all.map(({ withFileMutex }) => withFileMutex);
  onTestFinished(async () => {
    await Promise.all(all.map((locks) => locks.settled()));
    await connection.close();
  });
  // A session that stays open, whose "calls" hold the locks.
  const id = await sessions.run("go");
  await sessions.untilState(id, "idle");
  const { runId } = await client.workflow.getHandle(`session-${id}`).describe();
  let calls = 0;
  const owner = (signal = new AbortController().signal): LockOwner => ({
    workflowId: `session-${id}`,
    runId,
    activityId: `9.${++calls}`,
    attempt: 1,
    signal,
    log: () => undefined,
  });
  const file = join(sessions.workspace, "a.txt");
  writeFileSync(file, "");
  return { sessions, client, mutexes, owner, file };
}

/** Counts who is inside. */
function gate() {
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  return {
    order,
    most: () => most,
    enter: (name: number) => async () => {
      most = Math.max(most, ++inside);
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    },
  };
}

const inTurn = async (mutexes: FileMutex[], owner: () => LockOwner, file: string, times: number) => {
  const { enter, order, most } = gate();
  await Promise.all(Array.from({ length: times }, (_, at) => mutexes[at % mutexes.length]!(owner(), file, enter(at))));
  return { order, most: most() };
};

describe("the lock of a file", () => {
  it("lets 30 contenders of three workers in one by one, each worker's in their order", {
    timeout: 60_000,
  }, async () => {
    const { mutexes, owner, file } = await locks(3);
    const { order, most } = await inTurn(mutexes, owner, file, 30);
    expect(most).toBe(1);
    expect(order).toHaveLength(30);
    for (const worker of [0, 1, 2]) {
      const own = order.filter((name) => name % 3 === worker);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it("goes on in new runs under contention: nobody is lost, nobody is in twice", { timeout: 60_000 }, async () => {
    const { client, mutexes, owner, file } = await locks(3, 40);
    const { order, most } = await inTurn(mutexes, owner, file, 30);
    expect(most).toBe(1);
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at));
    const runs = client.workflow.list({
      query: `WorkflowType = '${fileMutexWorkflowType}' AND ExecutionStatus = 'ContinuedAsNew'`,
    });
    expect((await runs[Symbol.asyncIterator]().next()).done).toBe(false);
  });

  it("is the same for every spelling and link of a file, and another for another file", async () => {
    const { sessions, mutexes, owner, file } = await locks(2);
    symlinkSync(file, join(sessions.workspace, "link"));
    mkdirSync(join(sessions.workspace, "sub"));
    const { enter, most } = gate();
    const spellings = [file, join(sessions.workspace, "link"), `${sessions.workspace}/sub/../a.txt`];
    await Promise.all(spellings.map((path, at) => mutexes[at % 2]!(owner(), path, enter(at))));
    expect(most()).toBe(1);
    const entered = Promise.withResolvers<void>();
    const other = join(sessions.workspace, "b.txt");
    await mutexes[0]!(owner(), file, async () => {
      await mutexes[1]!(owner(), other, async () => entered.resolve());
      await entered.promise;
    });
  });

  it("is taken within 5 s from a holder whose worker was killed, and from one whose call has ended", {
    timeout: 30_000,
  }, async () => {
    const { sessions, client, mutexes, owner, file } = await locks(1);
    const { activityId: _, signal: __, log: ___, ...call } = owner();
    const program = join(import.meta.dirname, "hold-lock.ts");
    const holder = (activityId: string) =>
      spawn(
        process.execPath,
        [program, JSON.stringify({ ...call, activityId, file, home: sessions.home.root, address: sessions.address })],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
    const killed = holder("8.1");
    await once(killed.stdout, "data");
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const began = performance.now();
    await mutexes[0]!(owner(), file, async () => undefined);
    expect(performance.now() - began).toBeLessThan(5_000);
    // This one lives, but the engine knows no such call of the session any more.
    const alive = holder("8.2");
    onTestFinished(() => void alive.kill("SIGKILL"));
    await once(alive.stdout, "data");
    await mutexes[0]!(owner(), file, async () => undefined);
    const reasons: string[] = [];
    for await (const { workflowId } of client.workflow.list({
      query: `WorkflowType = '${fileMutexWorkflowType}' AND ExecutionStatus = 'Running'`,
    })) {
      const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
      for (const event of events ?? []) {
        const signal = event.workflowExecutionSignaledEventAttributes;
        if (signal?.signalName === "expel") reasons.push(Buffer.from(signal.input!.payloads![0]!.data!).toString());
      }
    }
    expect(reasons.join()).toContain(`the worker of ${call.workflowId} is gone`);
    expect(reasons.join()).toContain(`call 8.2 of ${call.workflowId} has ended`);
  });

  it("is left by whoever is stopped while it waits; those behind go on", async () => {
    const { mutexes, owner, file } = await locks(3);
    const { enter, order } = gate();
    const holds = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const stop = new AbortController();
    const holding = mutexes[0]!(owner(), file, () => {
      holds.resolve();
      return done.promise;
    });
    await holds.promise;
    const stopped = mutexes[1]!(owner(stop.signal), file, enter(1));
    stop.abort(new Error("a person stopped this turn"));
    await expect(stopped).rejects.toThrow("a person stopped this turn");
    const behind = mutexes[2]!(owner(), file, enter(2));
    done.resolve();
    await Promise.all([holding, behind]);
    expect(order).toEqual([2]);
  });
});

it("loses no edit when two sessions on two workers write one file by different names (A4, case 40)", {
  timeout: 60_000,
}, async () => {
  const count = 8;
  const edits = (name: string, path: string) =>
    Array.from({ length: count }, (_, at) =>
      toolCall("edit", { path, edits: [{ oldText: `${name}${at} old`, newText: `${name}${at} new` }] }),
    );
  const model = fakeModel((turn, request) => {
    const name = JSON.stringify(request.messages[0]).includes("first") ? "a" : "b";
    return turn === 1 ? edits(name, name === "a" ? "./file" : "link") : "done";
  });
  const sessions = await TestSessions.start(model);
  await sessions.alsoWorker(model);
  const lines = ["a", "b"].flatMap((name) => Array.from({ length: count }, (_, at) => `${name}${at} old`));
  writeFileSync(join(sessions.workspace, "file"), `${lines.join("\n")}\n`);
  symlinkSync("file", join(sessions.workspace, "link"));
  const ids = await Promise.all([sessions.run("first"), sessions.run("second")]);
  await Promise.all(ids.map((id) => sessions.untilState(id, "idle")));
  expect(readFileSync(join(sessions.workspace, "file"), "utf8")).toBe(`${lines.join("\n").replaceAll("old", "new")}\n`);
});
