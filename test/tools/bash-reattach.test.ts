import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
import type { ToolContext } from "../../src/agent/tool.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { runningCommand, stopCommand } from "../../src/tools/command-control.ts";
import { commandFiles, commandHash, readIdentity } from "../../src/tools/command-files.ts";
import { startWrapper } from "../../src/tools/command-wrapper.ts";
import { endProcess, waitFor } from "./processes.ts";
import { contextFor, runTool } from "./support.ts";

/** Runs attempt 1 in a process of its own until its command printed something. */
async function startWorker(params: { command: string; timeout?: number }, ctx: ToolContext) {
  const program = join(import.meta.dirname, "run-bash.ts");
  const worker = spawn(process.execPath, [program, JSON.stringify({ params, ctx })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    endProcess(worker.pid!);
    // Whatever a failed test left running.
    await stopCommand(ctx.callFolder);
  });
  const [line] = await once(worker.stdout!, "data");
  expect(String(line)).toContain("update");
  return worker;
}

async function killWorker(worker: ChildProcess): Promise<void> {
  const ended = once(worker, "exit");
  endProcess(worker.pid!);
  await ended;
}

/** Says that it began, waits for a file of the test, says that it ended; each line also goes to `effects`. */
const gated = "echo begin | tee -a effects; while [ ! -e go ]; do sleep 0.02; done; echo end | tee -a effects";

const open = (ctx: ToolContext) => writeFile(join(ctx.cwd, "go"), "");
const effects = (ctx: ToolContext) => readFileSync(join(ctx.cwd, "effects"), "utf8");
const second = (ctx: ToolContext): ToolContext => ({ ...ctx, attempt: 2 });

test("the worker is killed: the next attempt attaches, the effect happens once, the output is complete", async () => {
  const ctx = await contextFor();
  const worker = await startWorker({ command: gated }, ctx);
  await killWorker(worker);
  const running = runTool(bashTool, { command: gated }, second(ctx));
  await open(ctx);
  const result = await running;
  expect(result).toMatchObject({ text: "begin\nend", isError: false });
  expect(result.details!.exitCode).toBe(0);
  expect(effects(ctx)).toBe("begin\nend\n");
});

test("an attempt that attached goes on streaming", async () => {
  const ctx = await contextFor();
  const command = `${gated}; sleep 0.3`;
  await killWorker(await startWorker({ command }, ctx));
  const seen: string[] = [];
  const running = runTool(bashTool, { command }, second(ctx), {
    onUpdate: (partial) => {
      seen.push(textOf(partial.content));
      if (seen.length === 1) void open(ctx);
    },
  });
  await running;
  expect(seen[0]).toBe("begin\n".trimEnd());
  expect(seen.at(-1)).toBe("begin\nend");
});

test("the command ended while no worker was there: its result is returned, with the exit code", async () => {
  const ctx = await contextFor();
  const command = `${gated}; exit 7`;
  await killWorker(await startWorker({ command }, ctx));
  await open(ctx);
  await waitFor(
    () => existsSync(join(ctx.callFolder, "exit")) && readFileSync(join(ctx.callFolder, "exit"), "utf8") !== "",
  );
  const result = await runTool(bashTool, { command }, second(ctx));
  expect(result).toMatchObject({ text: "begin\nend\n\nCommand exited with code 7.", isError: true });
  expect((await runTool(bashTool, { command }, { ...ctx, attempt: 3 })).text).toBe(result.text);
  expect(effects(ctx)).toBe("begin\nend\n");
});

test("worker and process group killed: interrupted, may have run, with the output so far", async () => {
  const ctx = await contextFor();
  const worker = await startWorker({ command: gated }, ctx);
  const { pid } = (await readIdentity(commandFiles(ctx.callFolder)))!;
  await killWorker(worker);
  process.kill(-pid, "SIGKILL");
  const result = await runTool(bashTool, { command: gated }, second(ctx));
  expect(result.isError).toBe(true);
  expect(result.text).toContain("begin\n\nCommand interrupted, may have run: the worker or the machine stopped");
  expect(result.details!.exitCode).toBeNull();
  expect(effects(ctx)).toBe("begin\n");
});

test("only the wrapper killed: waits for what is left of the group, then the same words", async () => {
  const ctx = await contextFor();
  const worker = await startWorker({ command: gated }, ctx);
  const { pid } = (await readIdentity(commandFiles(ctx.callFolder)))!;
  const between = parentOfShell(ctx);
  await killWorker(worker);
  endProcess(pid);
  endProcess(between);
  const running = runTool(bashTool, { command: gated }, second(ctx));
  await open(ctx);
  const result = await running;
  expect(result.text).toContain("interrupted, may have run");
  expect(effects(ctx)).toBe("begin\nend\n");
});

/** The wrapper's part that waits for the shell; the only child of the wrapper named bash. */
function parentOfShell(ctx: ToolContext): number {
  const wrapper = Number(readFileSync(join(ctx.callFolder, "pid"), "utf8").split("\t")[0]);
  const children = readFileSync(`/proc/${wrapper}/task/${wrapper}/children`, "utf8").trim().split(" ").map(Number);
  return children.find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "bash")!;
}

test("worker shutdown leaves the command running and passes the reason on", async () => {
  const ctx = await contextFor();
  const worker = await startWorker({ command: gated }, ctx);
  const said = once(worker.stdout!, "data");
  process.kill(worker.pid!, "SIGUSR2");
  expect(String((await said)[0])).toContain("thrown WorkerShutdown");
  const running = runTool(bashTool, { command: gated }, second(ctx));
  await open(ctx);
  expect((await running).text).toBe("begin\nend");
  expect(effects(ctx)).toBe("begin\nend\n");
});

test("the timeout holds across workers", async () => {
  const ctx = await contextFor();
  const params = { command: gated, timeout: 2 };
  await killWorker(await startWorker(params, ctx));
  const start = performance.now();
  const result = await runTool(bashTool, params, second(ctx));
  expect(performance.now() - start).toBeLessThan(2100);
  expect(result.text).toBe("begin\n\nCommand timed out after 2 s and was killed.");
});

test("a result of a timeout that got lost is the same when it is asked for again", async () => {
  const ctx = await contextFor();
  const params = { command: "echo begin; sleep 20", timeout: 0.3 };
  const first = await runTool(bashTool, params, ctx);
  expect(first.text).toContain("timed out after 0.3 s");
  expect(await runTool(bashTool, params, second(ctx))).toEqual(first);
});

test("an abort works in an attempt that attached", async () => {
  const ctx = await contextFor();
  await killWorker(await startWorker({ command: gated }, ctx));
  const abort = new AbortController();
  const result = await runTool(bashTool, { command: gated }, second(ctx), {
    signal: abort.signal,
    onUpdate: () => abort.abort(),
  });
  expect(result.text).toBe("begin\n\nCommand aborted.");
  expect(effects(ctx)).toBe("begin\n");
});

test("killed between the intent and the start: it did not run, nor can the first attempt start it any more (F02)", async () => {
  const ctx = await contextFor();
  const files = commandFiles(ctx.callFolder);
  const intent = { version: 1, callId: "1.1", hash: commandHash("touch ran", ctx.cwd), startedAt: Date.now() };
  await writeFile(files.intent, JSON.stringify(intent));
  const start = performance.now();
  await expect(runTool(bashTool, { command: "touch ran" }, second(ctx))).rejects.toThrow("it did not run");
  expect(performance.now() - start).toBeLessThan(1500);
  const late = { command: "touch ran", cwd: ctx.cwd, environment: {}, bash: "/bin/bash", cat: "/bin/cat" };
  await expect(startWrapper(files, late)).rejects.toThrow("EEXIST");
  await expect(runTool(bashTool, { command: "touch ran" }, { ...ctx, attempt: 3 })).rejects.toThrow("it did not run");
  expect(existsSync(join(ctx.cwd, "ran"))).toBe(false);
});

test("intent and output file are there and nobody runs: interrupted, may have run", async () => {
  const ctx = await contextFor();
  const files = commandFiles(ctx.callFolder);
  const intent = { version: 1, callId: "1.1", hash: commandHash("touch ran", ctx.cwd), startedAt: Date.now() };
  await writeFile(files.intent, JSON.stringify(intent));
  await writeFile(files.output, "");
  const start = performance.now();
  const result = await runTool(bashTool, { command: "touch ran" }, ctx);
  expect(result.text).toContain("interrupted, may have run");
  expect(performance.now() - start).toBeLessThan(1500);
  expect(existsSync(join(ctx.cwd, "ran"))).toBe(false);
});

test("a further attempt without any record starts nothing, nor can the first one any more", async () => {
  const ctx = await contextFor();
  await expect(runTool(bashTool, { command: "touch ran" }, second(ctx))).rejects.toThrow("it did not run");
  await expect(runTool(bashTool, { command: "touch ran" }, ctx)).rejects.toThrow("it did not run");
  expect(existsSync(join(ctx.cwd, "ran"))).toBe(false);
});

test("records of another command are refused", async () => {
  const ctx = await contextFor();
  await runTool(bashTool, { command: "true" }, ctx);
  await expect(runTool(bashTool, { command: "touch ran" }, second(ctx))).rejects.toThrow("another command");
});

test("a process that only has the same number is not the command", async () => {
  const ctx = await contextFor();
  const intent = { version: 1, callId: "1.1", hash: commandHash("x", ctx.cwd), startedAt: Date.now() };
  const files = commandFiles(ctx.callFolder);
  await writeFile(files.intent, JSON.stringify(intent));
  await writeFile(files.output, "");
  await writeFile(files.pid, `${process.pid}\t\t1\n`);
  const result = await runTool(bashTool, { command: "x", timeout: 5 }, second(ctx));
  expect(result.text).toContain("interrupted, may have run");
});

test("two attempts at once start the command once", async () => {
  const ctx = await contextFor();
  const command = "echo ran | tee -a effects";
  const results = await Promise.all([runTool(bashTool, { command }, ctx), runTool(bashTool, { command }, ctx)]);
  expect(results.map(({ text }) => text)).toEqual(["ran", "ran"]);
  expect(effects(ctx)).toBe("ran\n");
});

test("a command can be found and stopped from outside by its folder", async () => {
  const ctx = await contextFor();
  const worker = await startWorker({ command: gated }, ctx);
  await killWorker(worker);
  expect(await runningCommand(ctx.callFolder)).toMatchObject({ startedAt: expect.any(Number) });
  await stopCommand(ctx.callFolder);
  expect(await runningCommand(ctx.callFolder)).toBeUndefined();
  expect(effects(ctx)).toBe("begin\n");
});
