// The activity alone, with a real HTTP server and real commands; the engine that would try it again is not there.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { expect, onTestFinished, test } from "vitest";
import { notifyActivity } from "../../activities/notify.ts";
import type { ActivityServices } from "../../activities/services.ts";
import type { NotifyInput, NotifyResult } from "../../src/protocol/activities.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

const input: NotifyInput = {
  v: 1,
  sessionId: "k7f3qd",
  cwd: "/work",
  kind: "waiting",
  title: "make it pass",
  waiting: [{ toolName: "bash", summary: "rm -r build" }],
};

/** Failures that a test expects are no news. */
const quiet = new DefaultLogger("ERROR", () => undefined);

type Targets = ReturnType<ActivityServices["notifyTargets"]>;

/** One attempt; `before` is what an earlier one left. */
async function attempt(targets: Targets, before?: unknown) {
  const environment = new MockActivityEnvironment({ heartbeatDetails: before }, { logger: quiet });
  const left: unknown[] = [];
  environment.on("heartbeat", (details) => left.push(details));
  const activity = notifyActivity({ notifyTargets: () => targets } as ActivityServices);
  try {
    return { result: (await environment.run(activity, input)) as NotifyResult, left };
  } catch (error) {
    return { error: error as Error & { nonRetryable?: boolean }, left };
  }
}

/** A server that gives these statuses one after the other, and what it got. */
async function receiver(...statuses: number[]) {
  const bodies: unknown[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push({ type: request.headers["content-type"], ...JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(statuses[bodies.length - 1] ?? 204, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret`, bodies };
}

test("posts what waits, with the page's address where there is one", async () => {
  const { url, bodies } = await receiver();
  expect(await attempt({ url, page: "http://127.0.0.1:7611" })).toMatchObject({ result: { v: 1, told: ["url"] } });
  const { sessionId, title, cwd, waiting } = input;
  expect(bodies).toEqual([
    {
      ...{ type: "application/json", v: 1, event: "waiting", sessionId, title, cwd, waiting },
      page: "http://127.0.0.1:7611/s/k7f3qd",
    },
  ]);
});

test("runs the command with the same JSON, outside the repository; nothing is told where nothing is configured", async () => {
  const file = join(temporaryFolder("notify"), "told");
  const command = `{ cat; echo "$TEMPI_SESSION $TEMPI_EVENT $PWD"; } > ${file}`;
  expect(await attempt({ command })).toMatchObject({ result: { told: ["command"] }, left: ["told"] });
  const [json, variables] = readFileSync(file, "utf8").split("\n");
  expect(JSON.parse(json!)).toMatchObject({ event: "waiting", waiting: input.waiting });
  expect(JSON.parse(json!)).not.toHaveProperty("page");
  expect(variables).toBe(`k7f3qd waiting ${homedir()}`);
  expect(await attempt({})).toEqual({ result: { v: 1, told: [] }, left: [] });
});

test("5xx and an unreachable server are tried again, without the command; 4xx, redirects and commands that fail are not", async () => {
  const file = join(temporaryFolder("notify"), "runs");
  const command = `echo ran >> ${file}`;
  const { url, bodies } = await receiver(503, 200, 404, 302);
  const first = await attempt({ url, command });
  expect(first.error).toMatchObject({ message: "notify.url answered 503", nonRetryable: false });
  const second = await attempt({ url, command }, first.left[0]);
  expect(second.result?.told).toEqual(["command", "url"]);
  expect(readFileSync(file, "utf8")).toBe("ran\n");

  expect((await attempt({ url })).error).toMatchObject({ message: "notify.url answered 404", nonRetryable: true });
  expect((await attempt({ url })).error).toMatchObject({ message: "notify.url answered 302", nonRetryable: true });
  expect(bodies).toHaveLength(4);
  const gone = await attempt({ url: "http://127.0.0.1:9/s3cret" });
  expect(gone.error).toMatchObject({ nonRetryable: false });
  // It stands in history for as long as the session does.
  expect(gone.error?.message).toMatch(/^notify\.url cannot be reached/);
  expect(gone.error?.message).not.toContain("s3cret");

  const failed = await attempt({ command: "cat > /dev/null; exit 3" });
  expect(failed.error).toMatchObject({ message: "notify.command ended with exit code 3", nonRetryable: true });
});

test("what is blocked or ended is told with its cause and the command that mends it", async () => {
  const { url, bodies } = await receiver();
  const { waiting: _, ...about } = input;
  const blocked = { ...about, kind: "blocked" as const, cause: "no key", next: "tempi retry k7f3qd" };
  const environment = new MockActivityEnvironment({}, { logger: quiet });
  await environment.run(notifyActivity({ notifyTargets: () => ({ url }) } as ActivityServices), blocked);
  expect(bodies).toMatchObject([
    { event: "blocked", cause: "no key", next: "tempi retry k7f3qd", title: "make it pass" },
  ]);
});
