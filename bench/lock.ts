/**
 * What a file's lock costs: against the product's own server, one JSON line. `cold` = a file nobody wanted before (its workflow is
 * started), `warm` = its workflow still runs, `queue` = the queue within one process alone, for comparison.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { homeOf, machineIdOf } from "../src/config/home.ts";
import { taskQueueOf } from "../src/protocol/session.ts";
import { createFileMutex } from "../src/worker/file-mutex.ts";
import { FileQueue } from "../src/worker/file-queue.ts";

const folder = mkdtempSync(join(tmpdir(), "tempi-bench-lock-"));
const program = fileURLToPath(new URL("../bin/tempi", import.meta.url));
const environment = { ...process.env, TEMPI_HOME: join(folder, "home") };
mkdirSync(join(folder, "files"));
const tempi = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env: environment })).stdout;

try {
  await tempi("up", "--detach", "--yes");
  const { server } = JSON.parse(await tempi("status", "--json")) as { server: { address: string } };
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const machineId = machineIdOf(homeOf(environment));
  const locks = createFileMutex({ client, taskQueue: taskQueueOf(machineId), machineId });
  const mutex = locks.withFileMutex;
  let calls = 0;
  const owner = () => ({
    workflowId: "bench",
    runId: "bench",
    activityId: `1.${++calls}`,
    attempt: 1,
    signal: new AbortController().signal,
    log: console.error,
  });
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const file = (name: string): string => {
    const path = join(folder, "files", name);
    writeFileSync(path, "");
    return path;
  };
  const nothing = async () => undefined;
  const cold: number[] = [];
  const warm: number[] = [];
  const alone: number[] = [];
  const queue = new FileQueue();
  await mutex(owner(), file("first"), nothing);
  for (let at = 0; at < 30; at++) cold.push(await time(() => mutex(owner(), file(`cold-${at}`), nothing)));
  const same = file("same");
  await mutex(owner(), same, nothing);
  for (let at = 0; at < 30; at++) warm.push(await time(() => mutex(owner(), same, nothing)));
  for (let at = 0; at < 30; at++) alone.push(await time(() => queue.run(same, nothing)));
  const middle = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]! * 10) / 10;
  console.log(JSON.stringify({ coldP50Ms: middle(cold), warmP50Ms: middle(warm), queueP50Ms: middle(alone) }));
  await locks.settled();
  await connection.close();
} finally {
  await tempi("down");
  rmSync(folder, { recursive: true, force: true });
}
