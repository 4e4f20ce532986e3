import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { activityInfo } from "@temporalio/activity";
import {
  type AssistantMessage,
  type StoredMessage,
  type ToolCall,
  type ToolResultMessage,
  toolCallsOf,
} from "../src/agent/messages.ts";
import { type AgentToolResult, type ToolContext, textResult, wrapToolDefinition } from "../src/agent/tool.ts";
import type { ExecuteInput, ExecuteResult } from "../src/protocol/activities.ts";
import { type Attempt, runAttempt, workerGone } from "./attempt.ts";
import { boundErrorText, boundResult } from "./bounds.ts";
import { beginCall, callFolderOf } from "./call-folder.ts";
import { type CheckedCall, checkCall, digestOf, previewOf } from "./checked-call.ts";
import { withNotice } from "./repeated-notice.ts";
import { type ActivityServices, WorkerShutdown } from "./services.ts";

/** Runs one call. A tool's fault is a result; what fails the attempt is only the loss of this worker. */
export const executeActivity =
  (services: ActivityServices) =>
  async (input: ExecuteInput): Promise<ExecuteResult> =>
    await runAttempt(services, input.sessionId, input.callId, async (attempt) => {
      const { runId, messageId } = input.assistant;
      const assistant = (await services.transcripts.find(input.sessionId, runId, messageId)) as AssistantMessage;
      const call = toolCallsOf(assistant)[input.position - 1]!;
      const result = await runCall(services, input, call, attempt);
      const stored = storedResult(call, result, input.failedBefore);
      services.transcripts.keep(stored);
      return { v: 1, stored, ...(result.terminate ? { terminate: true } : {}) };
    });

async function runCall(
  services: ActivityServices,
  input: ExecuteInput,
  call: ToolCall,
  attempt: Attempt,
): Promise<AgentToolResult> {
  const { runId } = activityInfo().workflowExecution!;
  const callFolder = callFolderOf(services.home, input.sessionId, runId, input.callId);
  const context: ToolContext = {
    sessionId: input.sessionId,
    cwd: input.cwd,
    callId: input.callId,
    attempt: attempt.number,
    environment: await services.environments.of(input.sessionId, runId),
    callFolder,
    withFileMutex: services.fileMutex,
  };
  try {
    const source = input.changed ? { ...call, arguments: input.changed } : call;
    const checked = checkCall(services.tools, [call.name], source);
    const { tool, args } = checked;
    if (tool.effect !== "read") {
      // What an earlier attempt left here means that its effect may have happened: the tool's journal decides, not a check.
      if (!hasEntries(callFolder)) await refuseIfChanged(checked, context, input, callFolder);
      mkdirSync(callFolder, { recursive: true, mode: 0o700 });
      if (tool.effect === "external" && !tool.reattach && !beginCall(callFolder)) {
        return failed(
          `Interrupted: the worker went away while ${tool.name} ran. It may have run, in part or whole; it was not started again.`,
        );
      }
    }
    let settled = false;
    const onUpdate = (partial: AgentToolResult) => {
      if (!settled) attempt.live.update(partial);
    };
    try {
      return await wrapToolDefinition(tool, context).execute(input.callId, args, attempt.signal, onUpdate);
    } finally {
      settled = true;
    }
  } catch (error) {
    if (error instanceof WorkerShutdown || attempt.signal.reason instanceof WorkerShutdown) throw workerGone();
    return failed(boundErrorText(error instanceof Error ? error.message : String(error)));
  }
}

/**
 * What a person allowed is what runs: days may lie between. A call nobody had to allow runs on what is there now.
 * Changes that earlier calls of the same answer made to the file were allowed with it.
 */
async function refuseIfChanged(
  checked: CheckedCall,
  context: ToolContext,
  input: ExecuteInput,
  callFolder: string,
): Promise<void> {
  if (!input.approved) return;
  const preview = await previewOf(checked, context);
  if (digestOf(checked, preview, input.cwd) === input.digest) return;
  if (preview.paths.some(({ path }) => writtenEarlier(callFolder, input.callId, path))) return;
  throw new Error(
    "Not run: what this call would do changed after a person allowed it (the file, the program or PATH is another now). Look at the current state and send the call again.",
  );
}

function writtenEarlier(callFolder: string, callId: string, path: string): boolean {
  const [turn, position] = callId.split(".").map(Number);
  for (let earlier = 1; earlier < position!; earlier++) {
    const journal = join(callFolder, "..", `${turn}.${earlier}`, "change.json");
    if (!existsSync(journal)) continue;
    if ((JSON.parse(readFileSync(journal, "utf8")) as { path?: string }).path === path) return true;
  }
  return false;
}

const hasEntries = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

const failed = (text: string): AgentToolResult => ({ ...textResult(text), isError: true });

function storedResult(call: ToolCall, result: AgentToolResult, failedBefore: number): StoredMessage<ToolResultMessage> {
  const isError = result.isError === true;
  // JavaScript tools may return no content at all.
  const content = [...(result.content ?? [])];
  const last = content.at(-1);
  if (isError && last?.type === "text") {
    content[content.length - 1] = { type: "text", text: withNotice(last.text, failedBefore + 1) };
  }
  const message = boundResult({
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(result.details === undefined ? {} : { details: result.details }),
    ...(result.usage ? { usage: result.usage } : {}),
    isError,
    timestamp: Date.now(),
  });
  return { id: `r-${randomUUID()}`, message };
}
