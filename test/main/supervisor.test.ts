// The supervisor with a real Temporal server and real processes; only the worker is a stand-in. What a real worker does is
// tested in test/e2e.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { afterEach, expect, test } from "vitest";
import { readWorkerFile, upFileOf } from "../../src/main/up-state.ts";
import { searchAttributes } from "../../src/protocol/session.ts";
import { checkTemporal } from "../../src/server/check-temporal.ts";
import { writeJsonFile } from "../../src/server/json-file.ts";
import { isAlive, waitForExit } from "../../src/server/process-identity.ts";
import { findRunningServers } from "../../src/server/start-dev.ts";
import { readRetentionDays, retentionDays, wrongSearchAttributes } from "../../src/server/temporal-service.ts";
import { breakWorker, stopAll, testHome } from "./homes.ts";

afterEach(stopAll, 40_000);

async function withClient<T>(address: string, use: (client: Client, connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }), connection);
  } finally {
    await connection.close();
  }
}
const startSomething = (address: string, workflowId: string) =>
  withClient(address, (client) => client.workflow.start("anything", { workflowId, taskQueue: "none" }));
const statusOf = (address: string, workflowId: string) =>
  withClient(address, async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name);

test("starts once, sets the server up, is found again, and stops in order", { timeout: 30_000 }, async () => {
  const one = await testHome();
  const up = await one.up();
  expect(up).toMatchObject({ startedNow: true, namespace: "default" });
  expect(one.said).toEqual([`started in the background (pid ${up.supervisorPid}); tempi down stops them`]);
  await withClient(up.address, async (_client, connection) => {
    expect(await readRetentionDays(connection, "default")).toBe(retentionDays);
    expect(await wrongSearchAttributes(connection, "default", searchAttributes)).toEqual([]);
    expect(await wrongSearchAttributes(connection, "default", { TempiState: "Int" })).toEqual(["TempiState"]);
  });

  expect(await checkTemporal({ address: up.address }, "default")).toBeUndefined();
  const other = await checkTemporal({ address: up.address }, "nobody");
  expect(other?.message).toBe(`the Temporal server at ${up.address} has no namespace "nobody" for you`);

  const before = performance.now();
  const again = await one.up();
  expect(performance.now() - before).toBeLessThan(200);
  expect(again).toMatchObject({ startedNow: false, supervisorPid: up.supervisorPid, address: up.address });

  const { server, worker } = one.state();
  await one.down();
  expect([isAlive(server), isAlive(worker)]).toEqual([false, false]);
  expect(one.said.at(-2)).toMatch(/stopping worker \(pid \d+\) and Temporal server \(pid \d+\)/);
  one.said.length = 0;
  await one.down();
  expect(one.said).toEqual(["nothing runs"]);
});

test("of starters at the same time one wins and all find the same server", { timeout: 30_000 }, async () => {
  const one = await testHome();
  const all = await Promise.all([one.up(), one.up(), one.up()]);
  expect(new Set(all.map(({ supervisorPid }) => supervisorPid)).size).toBe(1);
  expect(all.filter(({ startedNow }) => startedNow)).toHaveLength(1);
  expect(findRunningServers(one.home.databaseFile)).toHaveLength(1);
});

test("kill -9 of the server: started again at once on the same port, history kept", { timeout: 30_000 }, async () => {
  const one = await testHome();
  const { address } = await one.up();
  await startSomething(address, "kept");
  const { server, worker } = one.state();
  process.kill(server.pid!, "SIGKILL");
  const after = await one.until((state) => state.server.state === "ready" && state.server.pid !== server.pid);
  expect(after.server.restarts).toBe(1);
  expect(after.address).toBe(address);
  expect(after.worker.pid).toBe(worker.pid);
  expect(await statusOf(address, "kept")).toBe("RUNNING");
});

test("a worker that dies 3 times is given up, said with its last line; restart begins anew", {
  timeout: 30_000,
}, async () => {
  const one = await testHome();
  await one.up();
  breakWorker(one.home);
  process.kill(one.state().worker.pid!, "SIGKILL");
  const failed = await one.until((state) => state.worker.state === "failed");
  expect(failed.worker).toMatchObject({ restarts: 3, lastError: "Error: the fake worker is broken" });
  await expect(one.up()).rejects.toMatchObject({
    message: "the worker died 3 times and is not started again: Error: the fake worker is broken",
    next: "tempi logs worker, then tempi restart",
  });
  rmSync(join(one.home.root, "worker-is-broken"));
  const { restartCommand } = await import("../../src/main/up-command.ts");
  await restartCommand(one.context);
  expect(one.state().worker.state).toBe("ready");
});

test("a worker that never starts makes the first up fail readably", { timeout: 30_000 }, async () => {
  const one = await testHome();
  breakWorker(one.home);
  await expect(one.up()).rejects.toThrow(/the worker died 3 times .* the fake worker is broken/);
});

test("SIGKILL of the supervisor: the next one adopts the server and replaces the worker", {
  timeout: 40_000,
}, async () => {
  const one = await testHome();
  const { address } = await one.up();
  await startSomething(address, "kept");
  const before = one.state();
  process.kill(before.pid, "SIGKILL");
  await waitForExit(before, 5_000);
  expect([isAlive(before.server), isAlive(before.worker)]).toEqual([true, true]);

  const up = await one.up();
  const after = one.state();
  expect(up).toMatchObject({ startedNow: true, address });
  expect(after.server.pid).toBe(before.server.pid);
  expect(after.worker.pid).not.toBe(before.worker.pid);
  expect(isAlive(before.worker)).toBe(false);

  // The adopted server is watched, too.
  process.kill(after.server.pid!, "SIGKILL");
  await one.until((state) => state.server.state === "ready" && state.server.pid !== after.server.pid);
  expect(await statusOf(one.state().address, "kept")).toBe("RUNNING");
});

test("a server that still stops is waited out: never two on one database, history kept", {
  timeout: 40_000,
}, async () => {
  const one = await testHome();
  const { address } = await one.up();
  await startSomething(address, "kept");
  const before = one.state();
  process.kill(before.pid, "SIGKILL");
  await waitForExit(before, 5_000);
  process.kill(before.server.pid!, "SIGTERM");
  await one.up();
  const after = await one.until((state) => state.server.state === "ready" && state.server.pid !== before.server.pid);
  expect(isAlive(before.server)).toBe(false);
  expect(findRunningServers(one.home.databaseFile)).toHaveLength(1);
  expect(await statusOf(after.address, "kept")).toBe("RUNNING");
});

test("another version of tempi takes over: same server, new supervisor and worker", { timeout: 30_000 }, async () => {
  const one = await testHome();
  await one.up();
  const before = one.state();
  writeJsonFile(upFileOf(one.home), { ...before, version: "0.0.1" });
  one.said.length = 0;
  await one.up();
  expect(one.said[0]).toMatch(/^tempi 0\.0\.1 was running; its worker is replaced by /);
  const after = one.state();
  expect(after.pid).not.toBe(before.pid);
  expect(after.server.pid).toBe(before.server.pid);
  expect(after.worker.pid).not.toBe(before.worker.pid);
});

test("down after SIGKILL of the supervisor ends what it left", { timeout: 30_000 }, async () => {
  const one = await testHome();
  await one.up();
  const before = one.state();
  process.kill(before.pid, "SIGKILL");
  await waitForExit(before, 5_000);
  await one.down();
  expect([isAlive(before.server), isAlive(before.worker)]).toEqual([false, false]);
  expect(one.said.at(-2)).toMatch(/left by a supervisor that was killed/);
});

test("two homes side by side, each with its ports, kept over a restart", { timeout: 40_000 }, async () => {
  const [first, second] = [await testHome(), await testHome()];
  const [a, b] = await Promise.all([first.up(), second.up()]);
  expect(new Set([a.address, b.address]).size).toBe(2);
  expect(new Set([a.uiUrl, b.uiUrl]).size).toBe(2);
  await startSomething(b.address, "of-b");
  await expect(statusOf(a.address, "of-b")).rejects.toThrow(/not found/);
  await Promise.all([first.down(), second.down()]);
  const again = await second.up();
  expect(again).toMatchObject({ address: b.address, uiUrl: b.uiUrl });
  expect(await statusOf(again.address, "of-b")).toBe("RUNNING");
});

test("other provider variables: an idle worker gets them, a busy one is named; no value is said", {
  timeout: 30_000,
}, async () => {
  const one = await testHome();
  const { address } = await one.up({ DEEPSEEK_API_KEY: "first-value" });
  const keyOfWorker = () => (readWorkerFile(one.home) as unknown as { key: string | null }).key;
  expect(keyOfWorker()).toBe("first-value");
  one.said.length = 0;

  // Without the variable, or with the same: nothing happens.
  await one.up();
  await one.up({ DEEPSEEK_API_KEY: "first-value" });
  expect(one.said).toEqual([]);

  await one.up({ DEEPSEEK_API_KEY: "second-value" });
  expect(keyOfWorker()).toBe("second-value");
  expect(one.said).toEqual([expect.stringMatching(/DEEPSEEK_API_KEY\); it was restarted with yours/)]);

  await withClient(address, async (client) => {
    await client.workflow.start("session", {
      workflowId: "session-busy",
      taskQueue: "none",
      searchAttributes: { TempiState: ["running"] },
    });
    // Lists lag behind the start; an `up` before that finds the worker idle and gives it the new value for good.
    const listed = async () => (await client.workflow.count("TempiState = 'running'")).count;
    await expect.poll(listed, { timeout: 10_000 }).toBe(1);
  });
  one.said.length = 0;
  await one.up({ DEEPSEEK_API_KEY: "third-value" });
  expect(one.said.join("")).toMatch(/DEEPSEEK_API_KEY\) and works on 1 session\. Next, when it is done: tempi restart/);
  expect(JSON.stringify([one.state(), one.said])).not.toMatch(/-value/);
});
