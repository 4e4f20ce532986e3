// A worker process that takes a file's lock, says so, and never gives it back.
import { Client, Connection } from "@temporalio/client";
import { homeOf, machineIdOf } from "../../src/config/home.ts";
import { taskQueueOf } from "../../src/protocol/session.ts";
import { createFileMutex } from "../../src/worker/file-mutex.ts";

const { file, home, address, ...call } = JSON.parse(process.argv[2]!);
const machineId = machineIdOf(homeOf({ TEMPI_HOME: home }));
const client = new Client({ connection: await Connection.connect({ address }) });
const { withFileMutex } = createFileMutex({ client, taskQueue: taskQueueOf(machineId), machineId });
setInterval(() => undefined, 60_000);
await withFileMutex({ ...call, signal: new AbortController().signal, log: console.error }, file, () => {
  process.stdout.write("held\n");
  return new Promise<void>(() => undefined);
});
