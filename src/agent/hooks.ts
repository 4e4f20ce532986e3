import type { AssistantMessage, Message, ToolCall } from "./messages.ts";
import type { AgentToolResult } from "./tool.ts";

/** What a hook sees of the session. The messages are read when asked for; they are never copied into history. */
export interface HookContext {
  sessionId: string;
  /** Absolute path of the workspace. */
  cwd: string;
  /** `provider/model` that is asked. */
  model: string;
  /** The conversation up to and including the assistant message, in order. Do not change it. */
  messages(): Promise<Message[]>;
}

export interface BeforeToolCallEvent {
  assistantMessage: AssistantMessage;
  toolCall: ToolCall;
  /** Checked and converted. Return changed arguments instead of changing these. */
  args: Record<string, unknown>;
  context: HookContext;
}

/**
 * - `block`: the call is not run; the reason is its error result.
 * - `ask`: a person is asked, whatever the approval level.
 * - `args`: runs with these instead, after they passed the schema and the policy again; later hooks see them.
 */
export type BeforeToolCallResult =
  | { block: true; reason?: string }
  | { ask: { reason: string } }
  | { args: Record<string, unknown> };

/** Runs before a call, maybe twice (a retry, edited arguments): it must bear that. Throwing means the call is not run. */
export type BeforeToolCall = (
  event: BeforeToolCallEvent,
  signal: AbortSignal,
) => Promise<BeforeToolCallResult | undefined> | BeforeToolCallResult | undefined;

export interface AfterToolCallEvent extends BeforeToolCallEvent {
  result: AgentToolResult;
  isError: boolean;
}

/** Whole fields that replace the result's; absent ones stay. No deep merge. */
export type AfterToolCallResult = Partial<
  Pick<AgentToolResult, "content" | "details" | "usage" | "terminate" | "isError">
>;

/** Runs after a call that was executed, also after a failed one. Throwing replaces the result by the error. */
export type AfterToolCall = (
  event: AfterToolCallEvent,
  signal: AbortSignal,
) => Promise<AfterToolCallResult | undefined> | AfterToolCallResult | undefined;

/** A hook and who registered it, for error texts. */
export interface Named<T> {
  from: string;
  run: T;
}

export type BeforeOutcome =
  | { kind: "block"; reason: string }
  /** `asked`: reasons of hooks that want a person. `changed`: whether `args` are not what was given. */
  | { kind: "go"; args: Record<string, unknown>; changed: boolean; asked: string[] };

/**
 * Runs before-hooks in load order. The first block ends it; what asks is collected; changed arguments are checked by `recheck`
 * (which throws what the model shall read) before the next hook sees them.
 */
export async function runBeforeHooks(
  hooks: Named<BeforeToolCall>[],
  event: BeforeToolCallEvent,
  signal: AbortSignal,
  recheck: (args: Record<string, unknown>) => Record<string, unknown>,
): Promise<BeforeOutcome> {
  let { args } = event;
  let changed = false;
  const asked: string[] = [];
  for (const { from, run } of hooks) {
    const answer = await guarded(from, signal, () => run({ ...event, args }, signal));
    if (!answer) continue;
    if ("block" in answer && answer.block)
      return { kind: "block", reason: answer.reason || "A hook blocked this call." };
    if ("ask" in answer) asked.push(answer.ask.reason);
    if ("args" in answer) {
      args = recheck(answer.args);
      changed = true;
    }
  }
  return { kind: "go", args, changed, asked };
}

/** Runs after-hooks in load order on a copy of the result; one that throws replaces it by the error, and the rest still run. */
export async function runAfterHooks(
  hooks: Named<AfterToolCall>[],
  event: AfterToolCallEvent,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  let result: AgentToolResult = { ...event.result, isError: event.isError };
  for (const { from, run } of hooks) {
    try {
      const patch = await guarded(from, signal, () =>
        run({ ...event, result, isError: result.isError === true }, signal),
      );
      if (patch) result = { ...result, ...definedFields(patch) };
    } catch (error) {
      result = {
        content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }],
        isError: true,
      };
    }
  }
  return result;
}

function definedFields(patch: AfterToolCallResult): AfterToolCallResult {
  const { content, details, usage, terminate, isError } = patch;
  return Object.fromEntries(
    Object.entries({ content, details, usage, terminate, isError }).filter(([, value]) => value !== undefined),
  );
}

/** A hook that does not look at the signal must not hold up a stop: it is left behind. */
async function guarded<T>(from: string, signal: AbortSignal, run: () => Promise<T> | T): Promise<T> {
  let leave: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    leave = () => reject(new Error("the turn was stopped while it ran"));
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([run(), stopped]);
  } catch (error) {
    throw new Error(`A hook of ${from} failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
