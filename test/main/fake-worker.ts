/** Stands in for src/main/worker.ts: waits for the server's port, writes run/worker.json, ends at SIGTERM. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { homeOf } from "../../src/config/home.ts";
import { LiveServer } from "../../src/worker/live-server.ts";

const { values } = parseArgs({ options: { address: { type: "string" }, namespace: { type: "string" } } });
const { address = "", namespace = "" } = values;
const home = homeOf();
// A test that wants a broken worker puts this file into its home.
if (existsSync(join(home.root, "worker-is-broken"))) {
  console.error("Error: the fake worker is broken");
  process.exit(1);
}
const connected = () =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(Number(address.split(":")[1]), "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => undefined).unref();
  });
// The real one: whether a worker hangs is seen by what it does.
const socket = join(home.run, "fake.sock");
const live = new LiveServer(socket);
const listens = await live.listen().then(
  () => true,
  () => false,
);
const file = join(home.run, "worker.json");
process.on("SIGTERM", () => {
  live.close();
  rmSync(file, { force: true });
  process.exit(0);
});
const alive = setInterval(() => undefined, 1_000);
while (!(await connected())) await new Promise((resolve) => setTimeout(resolve, 20));
writeFileSync(
  file,
  JSON.stringify({
    pid: process.pid,
    startedAt: Date.now(),
    version: "0.0.0-fake",
    address,
    namespace,
    socket: listens ? socket : "",
    // For tests of what a worker inherits; never so in the real one.
    key: process.env.DEEPSEEK_API_KEY ?? null,
  }),
);
alive.ref();
