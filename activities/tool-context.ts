import { spawn } from "node:child_process";
import { activityInfo } from "@temporalio/activity";
import type { ExecOptions, ExecResult, ToolContext } from "../src/agent/tool.ts";
import type { SessionScope } from "../src/protocol/activities.ts";
import { callFolderOf } from "./call-folder.ts";
import type { ActivityServices } from "./services.ts";

const keptOutput = 1024 * 1024;

/** What a tool gets of its surroundings, for one attempt of one call. */
export function toolContext(
  services: ActivityServices,
  scope: SessionScope & { model: string },
  {
    signal: cancellation,
    ...call
  }: { callId: string; attempt: number; environment: Record<string, string>; signal: AbortSignal },
): ToolContext {
  const { sessionId, cwd, model } = scope;
  const { activityId, workflowExecution } = activityInfo();
  const { runId, workflowId } = workflowExecution!;
  const log = (text: string) => services.log(`session ${sessionId} call ${call.callId}: ${text}`);
  return {
    sessionId,
    cwd,
    model,
    ...call,
    callFolder: callFolderOf(services.home, sessionId, runId, call.callId),
    withFileMutex: (path, fn) =>
      services.fileMutex({ workflowId, runId, activityId, attempt: call.attempt, signal: cancellation, log }, path, fn),
    log,
    exec: (program, args, options = {}) => exec(program, args, { cwd, ...options }, call.environment),
  };
}

async function exec(
  program: string,
  args: string[],
  options: ExecOptions,
  environment: Record<string, string>,
): Promise<ExecResult> {
  const signals = [
    options.signal,
    options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs),
  ];
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd, env: environment, signal, stdio: "pipe" });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (output[name].length < keptOutput) output[name] = (output[name] + text).slice(0, keptOutput);
      });
    }
    // A program that does not read its input must not end the worker.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}
