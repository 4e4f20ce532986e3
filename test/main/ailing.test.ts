// What reading commands, status and doctor say when a part of the machinery is dead, stopped or given up.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkMachine } from "../../src/main/doctor-checks.ts";
import { lastErrorLine } from "../../src/main/last-error.ts";
import { statusReport } from "../../src/main/status-command.ts";
import { ensureUp } from "../../src/main/up.ts";
import { restartCommand } from "../../src/main/up-command.ts";
import { isAlive, waitForExit } from "../../src/server/process-identity.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";
import { breakWorker, fakeWorker, stopAll, type TestHome, testHome } from "./homes.ts";

afterEach(stopAll, 40_000);

const forReading = ({ home, environment, said }: TestHome) =>
  ensureUp({
    home,
    environment: { ...environment, DEEPSEEK_API_KEY: "other" },
    onMessage: (line) => void said.push(line),
    yes: true,
    needWorker: false,
    workerProgram: fakeWorker,
  });
const doctorOf = async ({ context }: TestHome) => {
  const checks = await checkMachine(context, await statusReport(context));
  return Object.fromEntries(checks.map(({ name, ok, detail, next }) => [name, { ok, detail, next }]));
};
const givenUp = "the worker died 3 times and is not started again. Next: tempi logs worker, then tempi restart";

test("a worker that was given up does not keep anybody from reading (H5); its error goes with a restart (M6)", {
  timeout: 40_000,
}, async () => {
  const one = await testHome();
  const { address } = await one.up();
  breakWorker(one.home);
  process.kill(one.state().worker.pid!, "SIGKILL");
  const { worker } = await one.until((state) => state.worker.state === "failed");
  await expect(one.up()).rejects.toThrow(/the worker died 3 times/);
  one.said.length = 0;
  expect(await forReading(one)).toMatchObject({ address, startedNow: false });
  expect(one.said).toEqual([givenUp]);
  // Reading neither starts nor ends anything.
  expect(one.state().worker).toEqual(worker);
  expect((await statusReport(one.context)).worker).toMatchObject({
    state: "failed",
    lastError: "Error: the fake worker is broken",
  });

  rmSync(join(one.home.root, "worker-is-broken"));
  await restartCommand(one.context);
  expect((await statusReport(one.context)).worker).not.toHaveProperty("lastError");
});

test("the first reader of a home whose worker never starts reads, too", { timeout: 30_000 }, async () => {
  const one = await testHome();
  breakWorker(one.home);
  expect(await forReading(one)).toMatchObject({ startedNow: true });
  expect(one.said).toContain(givenUp);
});

test("a stopped worker is told as hung (M5), soon", { timeout: 30_000 }, async () => {
  const one = await testHome();
  await one.up();
  expect((await statusReport(one.context)).worker.state).toBe("ready");
  const { pid } = one.state().worker;
  process.kill(pid!, "SIGSTOP");
  try {
    const before = performance.now();
    expect((await statusReport(one.context)).worker).toMatchObject({ state: "hung", pid });
    expect(performance.now() - before).toBeLessThan(300);
    expect((await doctorOf(one)).worker).toMatchObject({ ok: false, next: "tempi restart" });
  } finally {
    process.kill(pid!, "SIGCONT");
  }
  await expect.poll(async () => (await statusReport(one.context)).worker.state).toBe("ready");
});

test("only the supervisor is dead: doctor says what status says (M4)", { timeout: 30_000 }, async () => {
  const one = await testHome();
  const { address } = await one.up();
  const before = one.state();
  process.kill(before.pid, "SIGKILL");
  await waitForExit(before, 5_000);
  expect(await statusReport(one.context)).toMatchObject({
    supervisor: { state: "not running" },
    server: { state: "unwatched", address },
    worker: { state: "unwatched" },
  });
  const doctor = await doctorOf(one);
  expect(doctor).not.toHaveProperty("ports");
  expect(doctor.server).toEqual({
    ok: undefined,
    detail: `answers at ${address}, but nobody watches it: its supervisor died`,
    next: "tempi up --detach",
  });
  expect(doctor.retention?.ok).toBe(true);
  expect(doctor.worker).toMatchObject({ ok: undefined, next: "tempi up --detach" });
  expect(JSON.stringify(doctor)).not.toMatch(/tempi init/);
  expect(isAlive(before.worker)).toBe(true);
});

test("the last error of a log: errors of the present process alone, without colours and dumps (M6)", () => {
  const path = join(temporaryFolder("log"), "worker.log");
  const before = "Error: of the process before\n";
  writeFileSync(
    path,
    [
      `${before}2026-12-01T15:03:32.030Z [WARN] Activity failed {`,
      "  error: ApplicationFailure: the stream was cut",
      "      at modelFailure (file:///x/failures.ts:47:33)",
      "}",
      "\u001b[2m2026-12-01T15:03:33Z\u001b[0m \u001b[33m WARN\u001b[0m temporal_sdk: poll failed: Gone",
      "2026-12-01T15:03:34.030Z [ERROR] Worker.Gone: the worker went away; another one goes on",
    ].join("\n"),
  );
  expect(lastErrorLine(path)).toBe("Error: of the process before");
  expect(lastErrorLine(path, before.length)).toBeUndefined();
  // It was rotated: what is there now is of the present process.
  expect(lastErrorLine(path, 1 << 20)).toBe("Error: of the process before");
  const dump = `{ payload: <Buffer ${"0a ".repeat(200)}> }`;
  writeFileSync(
    path,
    `\n\u001b[31mTypeError: cannot read it\u001b[39m ${dump}\n    at x (y.ts:1:1)\n}\n\nNode.js v24.1.0\n`,
    {
      flag: "a",
    },
  );
  const line = lastErrorLine(path, before.length)!;
  expect(line.startsWith("TypeError: cannot read it")).toBe(true);
  expect(line.length).toBe(200);
});
