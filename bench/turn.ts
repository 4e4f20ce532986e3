/**
 * What a turn costs: drives the product from outside against an instant model and prints one JSON line.
 * bench/README.md says how to run it and what the figures mean.
 */
import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { connectSessionClient } from "../src/client/connect.ts";
import type { SessionClient } from "../src/client/contract.ts";
import { homeOf } from "../src/config/home.ts";
import { type SessionInput, sessionIdAlphabet, workflowIdOf } from "../src/protocol/session.ts";
import { historySizeOf } from "./history-size.ts";
import { type InstantModel, startInstantModel } from "./instant-model.ts";
import { rawLoop } from "./raw-loop.ts";

const { values: flags } = parseArgs({
  options: {
    sessions: { type: "string", default: "5" },
    turns: { type: "string", default: "20" },
    calls: { type: "string", default: "3" },
    bytes: { type: "string", default: "2048" },
  },
});
const turns = Number(flags.turns);
const folder = mkdtempSync(join(tmpdir(), "tempi-bench-"));
const workspace = join(folder, "workspace");
const program = fileURLToPath(new URL("../bin/tempi", import.meta.url));

interface ServerStatus {
  server: { address: string; namespace?: string };
}

const quantile = (values: number[], part: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};
const median = (values: number[]): number => quantile(values, 0.5);
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number): number => Math.round(value * 10) / 10;

mkdirSync(workspace);
writeFileSync(join(workspace, "data.txt"), `${"x".repeat(63)}\n`.repeat(Math.ceil(Number(flags.bytes) / 64)));
const model = await startInstantModel({ turns, callsPerTurn: Number(flags.calls), file: "data.txt" });
try {
  const firstRequestMs = await coldStart(environmentOf("cold", model));
  const product = await measureProduct(environmentOf("warm", model), model);
  process.chdir(workspace);
  const raw = await rawLoop(model.baseUrl);
  console.log(
    JSON.stringify({
      turns,
      callsPerTurn: Number(flags.calls),
      sessions: Number(flags.sessions),
      ...product,
      rawLoopMsPerTurn: round(median(raw)),
      firstRequestMs: round(firstRequestMs),
    }),
  );
} finally {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}

/** From `tempi run` in a home where nothing ever ran, process start included, to the model's first request. */
async function coldStart(environment: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const arrived = model.nextRequest();
  const running = tempi(
    environment,
    ...["run", "--json", "--approval", "auto", "--model", "instant", "--max-turns", String(turns + 10), "go"],
  );
  try {
    const time = await Promise.race([
      arrived,
      running.then(() => Promise.reject(new Error("tempi run ended without a model request"))),
    ]);
    await running;
    return time - began;
  } finally {
    await tempi(environment, "down");
  }
}

async function measureProduct(environment: NodeJS.ProcessEnv, { baseUrl }: InstantModel) {
  await tempi(environment, "up", "--detach", "--yes");
  try {
    const { server } = JSON.parse(await tempi(environment, "status", "--json")) as ServerStatus;
    const namespace = server.namespace ?? "default";
    const client = await connectSessionClient({ home: homeOf(environment), address: server.address, namespace });
    try {
      await runSession(client, inputOf(baseUrl));
      const times: number[] = [];
      let latest: number[] = [];
      let last = "";
      for (let session = 0; session < Number(flags.sessions); session++) {
        const input = inputOf(baseUrl);
        latest = await runSession(client, input);
        times.push(...latest);
        last = input.sessionId;
      }
      const history = await historySizeOf(server.address, namespace, workflowIdOf(last));
      // The first turn also holds what a start costs; the last request only answers.
      const perTurn = history.bytesPerTurn.slice(1, turns);
      return {
        msPerTurn: round(median(times)),
        msPerTurnP95: round(quantile(times, 0.95)),
        // Of the last session alone: what its turns cost near the beginning and at the end.
        msPerTurnEarly: round(median(latest.slice(5, 15))),
        msPerTurnLate: round(median(latest.slice(-10))),
        historyEvents: history.events,
        historyBytes: history.bytes,
        historyBytesPerTurn: { early: round(mean(perTurn.slice(0, 5))), late: round(mean(perTurn.slice(-5))) },
      };
    } finally {
      await client.close();
    }
  } finally {
    await tempi(environment, "down");
  }
}

/** Milliseconds of each turn, from one `turn_start` to the next, as the session's own events tell them. */
async function runSession(client: SessionClient, input: SessionInput): Promise<number[]> {
  await client.start(input, { id: randomBytes(8).toString("hex"), text: "go" });
  const starts: number[] = [];
  const failures: string[] = [];
  for await (const item of client.follow(input.sessionId, { signal: AbortSignal.timeout(120_000 + turns * 1_000) })) {
    if (item.kind === "event" && item.event.type === "turn_start") starts.push(item.event.at);
    if (item.kind === "event" && item.event.type === "tool_execution_end" && item.event.isError) {
      failures.push(item.event.summary);
    }
  }
  // The answer is a turn of its own.
  if (starts.length !== turns + 1 || failures.length > 0) {
    throw new Error(
      `session ${input.sessionId}: ${starts.length} turns, failed calls: ${failures.join(", ") || "none"}`,
    );
  }
  return starts.slice(1).map((start, index) => start - starts[index]!);
}

function inputOf(baseUrl: string): SessionInput {
  const id = Array.from({ length: 6 }, () => sessionIdAlphabet[randomInt(sessionIdAlphabet.length)]).join("");
  return {
    v: 1,
    sessionId: id,
    title: "bench",
    cwd: workspace,
    repository: "workspace",
    environment: { PATH: process.env.PATH ?? "" },
    settings: {
      model: { provider: "openai", model: "instant", baseUrl, keyVariable: "OPENAI_API_KEY" },
      thinking: "off",
      approval: "auto",
      activeTools: ["read", "bash", "edit", "write"],
      maxTurns: turns + 10,
    },
    closeAfterMs: 0,
  };
}

function environmentOf(name: string, { baseUrl }: InstantModel): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TEMPI_HOME: join(folder, name),
    OPENAI_API_KEY: "bench",
    OPENAI_BASE_URL: baseUrl,
  };
}

/** Runs the command in the workspace; its stderr is ours. Throws unless it exits with 0. */
async function tempi(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    cwd: workspace,
    env: environment,
    maxBuffer: 64 << 20,
  });
  run.child.stderr?.pipe(process.stderr);
  run.child.stdin?.end();
  return (await run).stdout;
}
