import { once } from "node:events";
import { createConnection } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LiveServer } from "../../src/worker/live-server.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

it("lives on when a watcher is gone with frames unread, and goes on telling the others", async () => {
  const path = join(temporaryFolder("live"), "live.sock");
  const server = new LiveServer(path);
  await server.listen();
  onTestFinished(() => server.close());
  const watch = async () => {
    const socket = createConnection(path);
    socket.write(`${JSON.stringify({ subscribe: ["*"] })}\n`);
    await once(socket, "connect");
    return socket;
  };
  const staying = await watch();
  const told: string[] = [];
  staying.on("data", (data) => told.push(String(data)));
  for (let time = 0; time < 20; time++) {
    const leaving = await watch();
    leaving.pause();
    while (told.length === 0) {
      server.changed("abcdef", time);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (let more = 0; more < 50; more++) server.changed("abcdef", time);
    // Closed with data unread: the other side gets a reset, not an end. One that escapes fails the run.
    leaving.destroy();
    told.length = 0;
    while (told.length === 0) {
      server.changed("abcdef", time);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  expect(told.join("")).toContain('"changed"');
});
