import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { LiveConnection } from "../../src/client/live-connection.ts";
import { homeOf, prepareHome, workerFileOf } from "../../src/config/home.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

it("lives on when the worker's socket refuses: its owner was killed in this moment", async () => {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("live") });
  prepareHome(home);
  const socket = join(home.run, "live.sock");
  // A socket file that nobody listens on any more, as SIGKILL leaves it.
  const listen = `require("node:net").createServer().listen(${JSON.stringify(socket)})`;
  const owner = spawn(process.execPath, ["-e", listen], { stdio: "ignore" });
  while (!existsSync(socket)) await sleep(10);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  writeFileSync(workerFileOf(home), JSON.stringify({ pid: process.pid, socket }));
  const connection = new LiveConnection({
    home,
    sessionId: "abcdef",
    onMessage: () => undefined,
    onWorkerChanged: () => undefined,
  });
  onTestFinished(() => connection.close());
  // An error that escapes fails the run.
  for (let time = 0; time < 3; time++) {
    connection.ensure();
    await sleep(20);
  }
  expect(connection.connected).toBe(false);
});
