import { rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { DefaultLogger, Runtime } from "@temporalio/worker";
import { homeOf, prepareHome, type WorkerFile, workerFileOf } from "../config/home.ts";
import { resolveAddress } from "../server/resolve-address.ts";
import { resolvePackagesForExtensions } from "../worker/extensions/resolve-packages.ts";
import { startSessionWorker } from "../worker/session-worker.ts";
import { version } from "./version.ts";
import { workerServices } from "./worker-services.ts";

/** The worker process: `node worker.ts --address HOST:PORT --namespace NAME`. Stops in order at SIGTERM and SIGINT. */
const { values } = parseArgs({
  options: { address: { type: "string" }, namespace: { type: "string", default: "default" } },
});
if (!values.address) {
  console.error("tempi worker: --address is missing. Next: tempi up");
  process.exit(2);
}
// Our own SIGTERM handling comes first; the SDK's would cancel all work before tools hear of it.
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger("WARN") });
resolvePackagesForExtensions();
const home = homeOf();
prepareHome(home);
const { address, namespace } = values;
// The supervisor names the profile that named the server; TLS and credentials are read here, never passed on.
const profile = process.env.TEMPI_TEMPORAL_PROFILE;
const target = profile ? resolveAddress({ profile, environment: process.env }) : undefined;
const connection = target?.kind === "named" ? target.connection : {};
const worker = await startSessionWorker({ home, address, namespace, connection, services: workerServices(home) });
const stateFile = workerFileOf(home);
const state: WorkerFile = {
  pid: process.pid,
  startedAt: Date.now(),
  version,
  address,
  namespace,
  socket: worker.socket,
};
writeFileSync(stateFile, `${JSON.stringify(state)}\n`, { mode: 0o600 });
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (!stopping) worker.shutdown();
    stopping = true;
  });
}
try {
  await worker.run;
} catch (error) {
  console.error(`tempi worker stopped: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(stateFile, { force: true });
}
process.exit();
