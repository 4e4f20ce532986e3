/**
 * How late a follower sees what a model says: an endpoint streams its own clock, a follower reads it from the worker's live
 * socket. Prints one JSON line. `--sessions` streams run at once, each with a follower.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { newSessionId } from "../src/cli/ids.ts";
import { connectSessionClient } from "../src/client/connect.ts";
import { homeOf } from "../src/config/home.ts";

const { values: flags } = parseArgs({
  options: {
    sessions: { type: "string", default: "1" },
    tokens: { type: "string", default: "250" },
    everyMs: { type: "string", default: "20" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "tempi-bench-live-"));
const workspace = join(folder, "workspace");
mkdirSync(workspace);
const program = fileURLToPath(new URL("../bin/tempi", import.meta.url));

/** Streams `@<milliseconds>` tokens. */
const server = createServer(async (_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  for (let token = 0; token < Number(flags.tokens); token++) {
    send({ content: `@${Date.now()} ` });
    await sleep(Number(flags.everyMs));
  }
  send({}, "stop");
  response.end("data: [DONE]\n\n");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const environment = {
  ...process.env,
  TEMPI_HOME: join(folder, "home"),
  OPENAI_API_KEY: "bench",
  OPENAI_BASE_URL: baseUrl,
};
const tempi = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args], { cwd: workspace, env: environment })).stdout;

try {
  await tempi("up", "--detach", "--yes");
  const { server: local } = JSON.parse(await tempi("status", "--json")) as { server: { address: string } };
  const client = await connectSessionClient({
    home: homeOf(environment),
    address: local.address,
    namespace: "default",
  });
  const lags = (await Promise.all(Array.from({ length: Number(flags.sessions) }, () => measure(client))))
    .flat()
    .sort((a, b) => a - b);
  const at = (part: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * part))];
  console.log(
    JSON.stringify({
      sessions: Number(flags.sessions),
      tokens: lags.length,
      lagP50Ms: at(0.5),
      lagP95Ms: at(0.95),
      lagMaxMs: lags.at(-1),
    }),
  );
  await client.close();
} finally {
  await tempi("down");
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds from each token's being sent to its being in a follower's hands. */
async function measure(client: Awaited<ReturnType<typeof connectSessionClient>>): Promise<number[]> {
  const sessionId = newSessionId();
  const model = { provider: "openai", model: "clock", baseUrl, keyVariable: "OPENAI_API_KEY" };
  const settings = { model, thinking: "off" as const, approval: "auto" as const, activeTools: [], maxTurns: 5 };
  await client.start(
    {
      v: 1,
      sessionId,
      title: "bench",
      cwd: workspace,
      repository: "workspace",
      environment: {},
      settings,
      closeAfterMs: 0,
    },
    { id: randomBytes(8).toString("hex"), text: "go" },
  );
  const lags: number[] = [];
  for await (const item of client.follow(sessionId, { signal: AbortSignal.timeout(120_000) })) {
    if (item.kind !== "live") continue;
    for (const { tail } of item.frame.blocks)
      for (const [, sent] of tail.matchAll(/@(\d{13}) /g)) lags.push(Date.now() - Number(sent));
  }
  return lags;
}
