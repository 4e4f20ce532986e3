import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LiveServer } from "../../src/worker/live-server.ts";

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), "tempi-live-"));
  const path = join(folder, "live.sock");
  const server = new LiveServer(path);
  await server.listen();
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { server, path };
}

const watch = (path: string) => {
  const socket = createConnection(path);
  socket.on("connect", () => socket.write(`${JSON.stringify({ subscribe: ["k7f3qd"] })}\n`));
  return socket;
};

it("goes on when a watcher is gone without having read all: its reset connection ends nothing else", async () => {
  const { server, path } = await startServer();
  const gone = watch(path);
  const failed = new Promise<unknown>((resolve) => process.once("uncaughtException", resolve));
  for (const name of ["model:1", "model:2", "model:3"]) {
    server.open("k7f3qd", name, 1).delta({ index: 0, kind: "text", delta: "x".repeat(100_000) });
  }
  // What it did not read is still on its way: the other side sees a reset, not an end.
  await new Promise((resolve) => gone.once("readable", resolve));
  gone.destroy();
  const other = watch(path);
  onTestFinished(() => void other.destroy());
  const first = await Promise.race([new Promise((resolve) => other.once("data", resolve)), failed]);
  expect(String(first)).toContain('"model:1"');
});
