import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { AgentToolResult, ToolContext, ToolUpdate } from "../agent/tool.ts";
import {
  type CommandFiles,
  type CommandIntent,
  type CommandStop,
  commandFiles,
  commandHash,
  readExit,
  readIdentity,
  readIntent,
  readOutputLoss,
  readStop,
} from "./command-files.ts";
import { type CommandEnd, followCommand, isWorkerShutdown } from "./command-follow.ts";
import { type CommandDetails, commandResult, commandUpdate } from "./command-result.ts";
import { startWrapper } from "./command-wrapper.ts";
import { createRecord, writeRecord } from "./durable-write.ts";
import { readTail } from "./output-tail.ts";
import { visibleText } from "./paths.ts";
import { findTool } from "./programs.ts";

export interface CommandRequest {
  command: string;
  /** Seconds; checked. */
  timeout?: number;
  bashPaths: readonly string[];
  catPaths: readonly string[];
  spoolBytes: number;
}

/** Milliseconds a wrapper may take from its start to its first act. */
const pidFileMs = 1000;

/**
 * Runs a command once, however often the call is delivered. The first attempt records its intent and starts the command
 * detached, with output and exit code going to files; a further attempt never starts anything: it returns what was
 * recorded, or attaches to what lives, or says "interrupted, may have run".
 * @throws the signal's reason on worker shutdown, with the command left running; an Error when nothing was run
 */
export async function runCommand(
  request: CommandRequest,
  signal: AbortSignal,
  onUpdate: ToolUpdate<CommandDetails>,
  ctx: ToolContext,
): Promise<AgentToolResult<CommandDetails>> {
  const files = commandFiles(ctx.callFolder);
  const hash = commandHash(request.command, ctx.cwd);
  let intent = await readIntent(files);
  let child: ChildProcess | undefined;
  if (!intent) {
    if (signal.aborted && isWorkerShutdown(signal.reason)) throw signal.reason;
    const mayStart = ctx.attempt === 1 && !signal.aborted;
    const start = mayStart ? await prepareStart(request, ctx) : undefined;
    const timeoutMs = request.timeout === undefined ? undefined : request.timeout * 1000;
    const startedAt = Date.now();
    const wanted: CommandIntent = {
      version: 1,
      callId: ctx.callId,
      hash,
      startedAt,
      ...(timeoutMs === undefined ? {} : { deadline: startedAt + timeoutMs }),
      ...(start ? {} : { abandoned: true }),
    };
    // Whoever creates the record decides: a slow earlier attempt cannot start what a later one gave up.
    const created = await createRecord(files.intent, wanted);
    intent = created ? wanted : await readIntent(files);
    if (created && start) {
      child = await startWrapper(files, start).catch((error: Error) => {
        throw new Error(`The command could not be started: ${error.message}`, { cause: error });
      });
    }
  }
  if (intent?.hash !== hash) throw new Error("The records of this call belong to another command; it was not run.");
  if (intent.abandoned || (!child && (await neverStarted(files)))) {
    throw new Error(
      signal.aborted
        ? "Command aborted before it was started; it did not run."
        : "The worker stopped before this command was started; it did not run. Call it again if it is still needed.",
    );
  }
  return await follow(files, intent, child, request, signal, onUpdate);
}

/** Goes on with a command that was started, by this attempt or an earlier one. */
async function follow(
  files: CommandFiles,
  intent: CommandIntent,
  child: ChildProcess | undefined,
  request: CommandRequest,
  signal: AbortSignal,
  onUpdate: ToolUpdate<CommandDetails>,
): Promise<AgentToolResult<CommandDetails>> {
  const outputFile = files.output;
  const recorded = child ? undefined : await readStop(files);
  const end = recorded ?? (await watch(files, intent, child, request, signal, onUpdate));
  // So that a result that got lost is the same when it is asked for again.
  if (!recorded && isStop(end)) await writeRecord(files.stopped, end);
  const outputLost = await readOutputLoss(files);
  return commandResult(end, await readTail(outputFile, false), {
    durationMs: end.time - intent.startedAt,
    outputFile,
    ...(outputLost ? { outputLost } : {}),
    ...(request.timeout === undefined ? {} : { timeoutSeconds: request.timeout }),
  });
}

const isStop = (end: CommandEnd): end is CommandStop => end.kind !== "exited" && end.kind !== "lost";

async function watch(
  files: CommandFiles,
  intent: CommandIntent,
  child: ChildProcess | undefined,
  request: CommandRequest,
  signal: AbortSignal,
  onUpdate: ToolUpdate<CommandDetails>,
): Promise<CommandEnd> {
  const timeoutMs = (request.timeout ?? Number.POSITIVE_INFINITY) * 1000;
  // An attempt that attaches again only has the wall clock; a clock that was turned back must not extend the timeout.
  const remainingMs = child ? timeoutMs : Math.min(timeoutMs, Math.max(0, (intent.deadline ?? Infinity) - Date.now()));
  if (!child) await waitForWrapper(files);
  return await followCommand({
    files,
    ...(child ? { child } : {}),
    identity: () => readIdentity(files),
    remainingMs,
    spoolBytes: request.spoolBytes,
    signal,
    onOutput: async () => {
      const tail = await readTail(files.output, true);
      onUpdate(commandUpdate(tail, files.output, Date.now() - intent.startedAt));
    },
  });
}

/**
 * Whether the worker went away between its intent and the start. The output file is made just before the start and by one
 * attempt only: once this one has made it, a slow earlier attempt cannot start the command any more.
 */
async function neverStarted(files: CommandFiles): Promise<boolean> {
  if (existsSync(files.notStarted)) return true;
  const end = performance.now() + pidFileMs;
  while (!existsSync(files.output)) {
    if (performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    else if (await createRecord(files.output, undefined)) {
      await writeRecord(files.notStarted, { time: Date.now() });
      return true;
    }
  }
  return false;
}

/** A wrapper that was just started may not have said who it is; one that never was will not. */
async function waitForWrapper(files: CommandFiles): Promise<void> {
  const end = performance.now() + pidFileMs;
  while (performance.now() < end) {
    if ((await readIdentity(files)) || (await readExit(files))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function prepareStart({ command, bashPaths, catPaths }: CommandRequest, ctx: ToolContext) {
  const folder = await stat(ctx.cwd).catch(() => undefined);
  if (!folder?.isDirectory()) throw new Error(`The working folder does not exist: ${visibleText(ctx.cwd)}`);
  const searchPath = ctx.environment.PATH ?? "";
  const bash = await findTool(bashPaths, "bash", searchPath);
  if (!bash) throw new Error("bash was not found on this machine. Install it, or put it on PATH.");
  const cat = await findTool(catPaths, "cat", searchPath);
  if (!cat) throw new Error("cat was not found on this machine.");
  return { command, cwd: ctx.cwd, bash, cat, environment: { ...ctx.environment, TEMPI_SESSION: ctx.sessionId } };
}
