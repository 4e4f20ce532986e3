// What is said of an address where no Temporal server is. A wrong namespace needs a real server: test/main/supervisor.test.ts.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkTemporal } from "../../src/server/check-temporal.ts";

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("nothing listens", async () => {
  const server = createServer();
  const address = await listening(server);
  server.close();
  await once(server, "close");
  const error = await checkTemporal({ address }, "default", 300);
  expect(error).toMatchObject({ message: `no Temporal server answers at ${address}`, next: expect.any(String) });
});

test("a web server listens", async () => {
  const address = await listening(createHttpServer((_request, response) => response.end("hello")));
  const error = await checkTemporal({ address }, "default", 300);
  expect(error?.message).toBe(`what answers at ${address} is not a Temporal server`);
});

test("something listens and says nothing", async () => {
  const address = await listening(createServer((socket) => socket.on("error", () => socket.destroy())));
  const error = await checkTemporal({ address }, "default", 300);
  expect(error?.message).toBe(`no Temporal server answers at ${address}`);
});
