import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { activityInfo } from "@temporalio/activity";
import type { ExtensionEvent } from "../src/agent/extension.ts";
import { runAfterHooks } from "../src/agent/hooks.ts";
import {
  type AssistantMessage,
  type StoredMessage,
  type ToolCall,
  type ToolResultMessage,
  toolCallsOf,
} from "../src/agent/messages.ts";
import {
  type AgentToolResult,
  type ToolContext,
  type ToolDefinition,
  type ToolPreview,
  textResult,
  wrapToolDefinition,
} from "../src/agent/tool.ts";
import type { ExecuteInput, ExecuteResult } from "../src/protocol/activities.ts";
import { resolveKey } from "../src/tools/paths.ts";
import { type Attempt, runAttempt, whileHere, workerGone } from "./attempt.ts";
import { boundErrorText, boundResult } from "./bounds.ts";
import { beginCall } from "./call-folder.ts";
import { type CheckedCall, checkCall, digestOf, previewOf } from "./checked-call.ts";
import { renderedResult } from "./renderers.ts";
import { withNotice } from "./repeated-notice.ts";
import { type ActivityServices, type Toolset, WorkerShutdown } from "./services.ts";
import { toolContext } from "./tool-context.ts";

const mostEditCharacters = 2_000;

/** Runs one call. A tool's fault is a result; what fails the attempt is only the loss of this worker. */
export const executeActivity =
  (services: ActivityServices) =>
  async (input: ExecuteInput): Promise<ExecuteResult> =>
    await runAttempt(services, input.sessionId, input.callId, async (attempt) => {
      const { runId, messageId } = input.assistant;
      const reading = services.transcripts.find(input.sessionId, runId, messageId);
      const assistant = (await whileHere(attempt.signal, reading)) as AssistantMessage;
      const call = toolCallsOf(assistant)[input.position - 1]!;
      const { hooks, tools } = await services.toolset(input.cwd);
      const tell = (event: ExtensionEvent) => tellListeners(services, hooks.listeners, event, input.sessionId);
      const { callId: toolCallId, summary } = input;
      tell({ type: "tool_execution_start", toolCallId, toolName: call.name, summary });
      const startedAt = Date.now();
      const executed = await runCall(services, tools, input, call, attempt);
      const event = {
        assistantMessage: assistant,
        toolCall: call,
        args: executed.args,
        context: {
          sessionId: input.sessionId,
          cwd: input.cwd,
          model: input.model,
          messages: () => services.transcripts.upTo(input.sessionId, runId, messageId),
        },
        result: executed.result,
        isError: executed.result.isError === true,
      };
      const result = executed.ran ? await runAfterHooks(hooks.after, event, attempt.signal) : executed.result;
      const state = services.renderStates.take(`${runId}/${toolCallId}`);
      const tool = tools.find(({ name }) => name === call.name);
      const rendered = tool && renderedResult(tool, result, { state, cwd: input.cwd });
      const told = input.edited ? withEdit(result, executed.args) : result;
      const stored = storedResult(call, told, input.failedBefore, rendered);
      services.transcripts.keep(stored);
      const { isError } = stored.message;
      tell({
        type: "tool_execution_end",
        toolCallId,
        toolName: call.name,
        summary,
        isError,
        durationMs: Date.now() - startedAt,
      });
      return { v: 1, stored, ...(result.terminate ? { terminate: true } : {}) };
    });

/** `ran` = execution began, so that after-hooks see it; a call refused before that is none of theirs. */
interface Executed {
  result: AgentToolResult;
  args: Record<string, unknown>;
  ran: boolean;
}

async function runCall(
  services: ActivityServices,
  tools: ToolDefinition[],
  input: ExecuteInput,
  call: ToolCall,
  attempt: Attempt,
): Promise<Executed> {
  const environment = await services.environments.of(input.sessionId, activityInfo().workflowExecution!.runId);
  const context = toolContext(services, input, {
    callId: input.callId,
    attempt: attempt.number,
    environment,
    signal: attempt.signal,
  });
  let args: Record<string, unknown> = input.changed ?? call.arguments;
  let ran = false;
  try {
    const checked = checkCall(tools, [call.name], input.changed ? { ...call, arguments: input.changed } : call);
    args = checked.args;
    if ((await beforeEffect(checked, context, input)) === "interrupted") {
      return { result: await reconciled(checked, context, attempt.signal), args, ran };
    }
    const onUpdate = (partial: AgentToolResult) => {
      // What a tool sends after it settled is not shown: the result is.
      if (!settled) attempt.live.update(partial);
    };
    let settled = false;
    ran = true;
    try {
      const result = await wrapToolDefinition(checked.tool, context).execute(
        input.callId,
        args,
        attempt.signal,
        onUpdate,
      );
      return { result, args, ran };
    } finally {
      settled = true;
    }
  } catch (error) {
    if (error instanceof WorkerShutdown || attempt.signal.reason instanceof WorkerShutdown) throw workerGone();
    return { result: failed(boundErrorText(error instanceof Error ? error.message : String(error))), args, ran };
  }
}

/** What became of a call whose worker went away in the middle: by the tool's own word, else that it may have run. */
async function reconciled({ tool, args }: CheckedCall, context: ToolContext, signal: AbortSignal) {
  const unknown = `Interrupted: the worker went away while ${tool.name} ran. It may have run, in part or whole; it was not started again.`;
  try {
    return (await tool.reconcile?.(context.callId, args, signal, context)) ?? failed(unknown);
  } catch (error) {
    if (signal.aborted) throw error;
    context.log(`reconcile of ${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`);
    return failed(unknown);
  }
}

/** Checks and records what must be before an effect. `interrupted`: it was begun before and must not be started again. */
async function beforeEffect(
  checked: CheckedCall,
  context: ToolContext,
  input: ExecuteInput,
): Promise<"interrupted" | undefined> {
  const { tool } = checked;
  if (tool.effect === "read") return undefined;
  const { callFolder } = context;
  // What an earlier attempt left here means that its effect may have happened: the tool's journal decides, not a check.
  if (!hasEntries(callFolder)) await refuseIfChanged(checked, context, input);
  mkdirSync(callFolder, { recursive: true, mode: 0o700 });
  if (tool.effect !== "external" || tool.reattach || beginCall(callFolder)) return undefined;
  return "interrupted";
}

function tellListeners(
  services: ActivityServices,
  listeners: Toolset["hooks"]["listeners"],
  event: ExtensionEvent,
  sessionId: string,
): void {
  for (const { from, run } of listeners) {
    if (run.type !== event.type) continue;
    void (async () => run.listener(event, sessionId))().catch((error) =>
      services.log(`a listener of ${from} failed: ${error}`),
    );
  }
}

/**
 * What was judged is what runs: days may lie between, and earlier calls of the answer ran. The files must be those of the
 * preflight, whoever allowed it; what a person allowed must also be the same in content. Changes that earlier calls of the
 * same answer made to the file were allowed with it.
 */
async function refuseIfChanged(checked: CheckedCall, context: ToolContext, input: ExecuteInput): Promise<void> {
  const { args, tool } = checked;
  let preview: ToolPreview | undefined;
  try {
    preview = await previewOf(checked, context);
  } catch (error) {
    // An approved call that cannot be shown any more is not the one that was shown; any other fails by itself in a moment.
    if (input.approved && !(typeof args.path === "string")) throw error;
  }
  const paths = preview
    ? preview.paths.filter(({ access }) => access === "write").map(({ path }) => path)
    : await pathOf(args, context);
  if (paths.some((path) => !input.lockKeys.includes(path))) {
    throw new Error(
      `Not run: ${tool.name} would now write another file than the one that was checked (${paths.join(", ")}). Send the call again.`,
    );
  }
  if (!input.approved || (preview && digestOf(checked, preview, input.cwd) === input.digest)) return;
  if (paths.some((path) => writtenEarlier(context.callFolder, input.callId, path))) return;
  throw new Error(
    "Not run: what this call would do changed after a person allowed it (the file, the script, the program or PATH is another now). Look at the current state and send the call again.",
  );
}

async function pathOf({ path }: Record<string, unknown>, { cwd }: ToolContext): Promise<string[]> {
  return typeof path === "string" ? [await resolveKey(path, cwd)] : [];
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

/** The model's own call stands in the conversation as it was sent: without a word the result would seem to be that call's. */
function withEdit(result: AgentToolResult, args: Record<string, unknown>): AgentToolResult {
  const text = JSON.stringify(args);
  const shown = text.length > mostEditCharacters ? `${text.slice(0, mostEditCharacters)}…` : text;
  const note = `[A person changed the arguments of this call before allowing it. It ran with: ${shown}]`;
  return { ...result, content: [...(result.content ?? []), { type: "text", text: `\n\n${note}` }] };
}

function storedResult(
  call: ToolCall,
  result: AgentToolResult,
  failedBefore: number,
  rendered: string | undefined,
): StoredMessage<ToolResultMessage> {
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
    ...(rendered === undefined ? {} : { rendered }),
    isError,
    timestamp: Date.now(),
  });
  return { id: `r-${randomUUID()}`, message };
}
