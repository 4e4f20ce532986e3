import { createHash, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { activityInfo } from "@temporalio/activity";
import type { StoredMessage, UserMessage } from "../src/agent/messages.ts";
import { textOf } from "../src/agent/messages.ts";
import type { AgentToolResult } from "../src/agent/tool.ts";
import type { UntilInput, UntilResult } from "../src/protocol/activities.ts";
import { bashTool } from "../src/tools/bash.ts";
import type { CommandDetails } from "../src/tools/command-result.ts";
import { readTail } from "../src/tools/output-tail.ts";
import { runAttempt, workerGone } from "./attempt.ts";
import { boundErrorText, wellFormed } from "./bounds.ts";
import { type ActivityServices, WorkerShutdown } from "./services.ts";
import { toolContext } from "./tool-context.ts";

const toldLines = 200;

/** Runs the user's check as bash runs a command: once, detached from the worker, attached again after its death. */
export const untilActivity =
  (services: ActivityServices) =>
  async (input: UntilInput): Promise<UntilResult> =>
    await runAttempt(services, input.sessionId, input.callId, async ({ signal, live, number }) => {
      const { callId, command } = input;
      const { runId } = activityInfo().workflowExecution!;
      const environment = await services.environments.of(input.sessionId, runId);
      const context = toolContext(services, input, { callId, attempt: number, environment, signal });
      const began = Date.now();
      let result: AgentToolResult<CommandDetails>;
      try {
        mkdirSync(context.callFolder, { recursive: true, mode: 0o700 });
        result = await bashTool.execute(callId, { command }, signal, (partial) => live.update(partial), context);
      } catch (error) {
        if (error instanceof WorkerShutdown || signal.reason instanceof WorkerShutdown) throw workerGone();
        if (signal.aborted) throw error;
        const why = boundErrorText(error instanceof Error ? error.message : String(error));
        return {
          v: 1,
          exitCode: null,
          durationMs: Date.now() - began,
          failed: failure(command, `It could not run: ${why}`, why),
        };
      }
      if (signal.aborted) throw signal.reason;
      const { exitCode, durationMs, outputFile } = result.details!;
      if (exitCode === 0) return { v: 1, exitCode, durationMs };
      if (exitCode === null) {
        const text = textOf(result.content ?? []);
        return { v: 1, exitCode, durationMs, failed: failure(command, tailLines(text), "unknown") };
      }
      const output = tailLines((await readTail(outputFile, false)).text);
      const told = `It exited with code ${exitCode}. ${output === "" ? "It printed nothing." : `Its last lines:\n\n${output}`}`;
      return { v: 1, exitCode, durationMs, failed: failure(command, told, `${exitCode}\n${output}`) };
    });

const tailLines = (text: string): string => text.trimEnd().split("\n").slice(-toldLines).join("\n");

function failure(command: string, told: string, output: string): { stored: StoredMessage<UserMessage>; how: string } {
  const text = `The work counts as done when this command exits with 0: ${command}\n${told}`;
  const message: UserMessage = {
    role: "user",
    content: [{ type: "text", text: wellFormed(text) }],
    source: "until",
    timestamp: Date.now(),
  };
  return { stored: { id: `u-${randomUUID()}`, message }, how: fingerprint(output) };
}

/** Times, counts and line numbers differ from run to run of the same failure. */
const fingerprint = (output: string): string =>
  createHash("sha256").update(output.replace(/\d+/g, "0")).digest("hex").slice(0, 16);
