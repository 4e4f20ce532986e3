import { isCancellation } from "@temporalio/workflow";
import type { BatchCall } from "../src/agent/batch.ts";
import type { LoopEnd, LoopPorts, LoopState } from "../src/agent/loop.ts";
import { type AssistantMessage, type StoredMessage, type ToolCall, toolCallsOf } from "../src/agent/messages.ts";
import type { PreparedCall, SettledCall } from "../src/agent/prepared-call.ts";
import {
  blockingFailures,
  type ModelResult,
  type PreflightSettings,
  type PrepareInput,
} from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { callIdOf, type SessionInput } from "../src/protocol/session.ts";
import { model, prepare, settle, tools } from "./activities.ts";
import { applicationFailureOf } from "./application-failure.ts";
import type { Approvals } from "./approvals.ts";
import { withinBudget } from "./budget.ts";
import { compactIfNeeded, compactNow } from "./compaction.ts";
import type { Prompts } from "./prompts.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Teller } from "./teller.ts";
import type { TurnAbort } from "./turn-abort.ts";
import { checkAnswer } from "./until.ts";

/** What the binding needs of the session around it. */
export interface PortsContext {
  input: SessionInput;
  record: SessionRecord;
  prompts: Prompts;
  approvals: Approvals;
  abort: TurnAbort;
  settings: SessionInput["settings"];
  loop: LoopState;
  /** Of the session's first run, milliseconds since 1970. */
  startedAt: number;
  date: string;
  /** Shows `waiting` while approvals are open, `running` else. */
  showWaiting(): void;
  /** Blocks until a person asks to go on (true) or stops the turn (false). */
  block(cause: string, next: string | undefined, notify: boolean): Promise<boolean>;
  prepareNextTurn: LoopPorts["prepareNextTurn"];
  limitReached: LoopPorts["limitReached"];
  teller: Teller;
}

/** Binds the pure loop to activities. Nothing else knows both. */
export function loopPorts(context: PortsContext): LoopPorts {
  const { record, prompts, approvals, abort } = context;
  let offered: string[] = [];
  let ahead: ModelResult["prepared"];
  return {
    emit: (event) => record.emit(event),
    append: (stored) => {
      const runId = prompts.runHolding(stored.id);
      return record.append(runId ? { id: stored.id, runId } : stored);
    },
    now: () => Date.now(),
    aborted: () => abort.aborted,
    limitReached: context.limitReached,
    checkAnswer: (state) => checkAnswer(context, state),
    callId: callIdOf,
    queued: (delivery) => prompts.queued.some((prompt) => prompt.delivery === delivery),
    takeSteering: () => prompts.takeSteering(),
    takeFollowUps: () => prompts.takeFollowUps(),
    prepareNextTurn: context.prepareNextTurn,
    streamAssistant: async (turn) => {
      const answer = await streamAssistant(context, turn);
      if ("reason" in answer) return answer;
      offered = answer.offered.tools;
      ahead = answer.prepared;
      record.notifies = answer.notify === true;
      for (const text of answer.notices ?? []) record.noticeOnce(text);
      return answer.stored;
    },
    prepareToolCalls: async (turn, assistant, calls) => {
      // Prepared with the answer, unless a person changed the settings meanwhile.
      if (ahead && sameSettings(ahead.settings, preflightSettings(context))) return ahead.calls;
      const activityId = `prepare-${turn}`;
      const input = prepareInput(context, turn, assistant, offered, calls);
      try {
        const summary = `${calls.length} ${calls.length === 1 ? "call" : "calls"}`;
        return (await abort.run(activityId, () => prepare.executeWithOptions({ activityId, summary }, [input]))).calls;
      } catch (error) {
        if (isCancellation(error)) return undefined;
        throw error;
      }
    },
    awaitApprovals: async (asking, assistant, onSettled) => {
      for (const call of asking) {
        const prepareEdited = async (editedArgs: Record<string, unknown>): Promise<PreparedCall> => {
          const position = Number(call.callId.split(".")[1]);
          const source = { callId: call.callId, call: toolCallsOf(assistant.message)[position - 1]!, failedBefore: 0 };
          const turn = Number(call.callId.split(".")[0]);
          const input = { ...prepareInput(context, turn, assistant, offered, [source]), editedArgs };
          return (await prepare.executeWithOptions({ summary: "edited by the approver" }, [input])).calls[0]!;
        };
        approvals.ask(call, prepareEdited, (outcome) => onSettled(call.callId, outcome));
      }
      if (abort.aborted) approvals.withdraw(abort.by!);
      else context.teller.waiting(asking);
      context.showWaiting();
      const outcomes = await approvals.settled();
      context.showWaiting();
      return outcomes;
    },
    executeToolCall: (prepared, assistant, call) => executeToolCall(context, prepared, assistant, call),
    settleToolCalls: async (turn, calls) => {
      const summary = `${calls.length} not run: ${[...new Set(calls.map(({ code }) => code))].join(", ")}`;
      const { sessionId, cwd } = context.input;
      const made = settle.executeWithOptions({ activityId: `settle-${turn}`, summary }, [
        { v: 1, sessionId, cwd, calls },
      ]);
      return (await made).stored;
    },
  };
}

async function streamAssistant(context: PortsContext, turn: number) {
  const { record, input, settings, abort, date } = context;
  const { sessionId, cwd } = input;
  const broke = await withinBudget(context, turn);
  if (broke) return broke;
  await compactIfNeeded(context, turn);
  if (abort.aborted) return { reason: "aborted" } satisfies LoopEnd;
  const transcript = record.nameNewMessages();
  let recovered = false;
  for (;;) {
    const { model: asked, thinking, activeTools } = settings;
    const activityId = `model-${turn}`;
    const request = {
      v: 1 as const,
      sessionId,
      cwd,
      turn,
      transcript,
      model: asked,
      thinking,
      activeTools,
      date,
      preflight: preflightSettings(context),
      ...(settings.systemPromptFile ? { systemPromptFile: settings.systemPromptFile } : {}),
      ...(record.summary ? { summary: record.summary } : {}),
    };
    try {
      const asking = abort.run(activityId, () =>
        model.executeWithOptions({ activityId, summary: asked.model.slice(-100) }, [request]),
      );
      // An endpoint that does not let go must not hold up a stop.
      return (
        (await Promise.race([asking, abort.grace(limits.abortGraceMs)])) ?? ({ reason: "aborted" } satisfies LoopEnd)
      );
    } catch (error) {
      if (isCancellation(error)) return { reason: "aborted" } satisfies LoopEnd;
      const failure = applicationFailureOf(error);
      if (!failure) throw error;
      // One recovery for each overflow; a second one, or a summary that failed, is a person's business.
      if (failure.type === "Model.Overflow" && !recovered) {
        recovered = true;
        if (await compactNow(context, turn)) continue;
      }
      if (!(blockingFailures as readonly string[]).includes(failure.type ?? "")) {
        return { reason: "failed", errorMessage: failure.message } satisfies LoopEnd;
      }
      const [next, notify] = failure.details ?? [];
      if (!(await context.block(failure.message, typeof next === "string" ? next : undefined, notify === true))) {
        return { reason: "aborted" } satisfies LoopEnd;
      }
    }
  }
}

function prepareInput(
  context: PortsContext,
  turn: number,
  assistant: StoredMessage<AssistantMessage>,
  offered: string[],
  calls: BatchCall[],
): PrepareInput {
  const { input, record } = context;
  return {
    v: 1,
    sessionId: input.sessionId,
    cwd: input.cwd,
    turn,
    model: modelName(context),
    assistant: { runId: record.runId, messageId: assistant.id },
    offered,
    positions: calls.map(({ callId }) => Number(callId.split(".")[1])),
    settings: preflightSettings(context),
  };
}

const modelName = ({ settings: { model } }: PortsContext): string => `${model.provider}/${model.model}`;

const preflightSettings = ({ settings, approvals, loop, startedAt }: PortsContext): PreflightSettings => ({
  approval: settings.approval,
  remembered: approvals.rules.map(({ key }) => key),
  startedAt,
  ...(loop.repeated ? { repeated: loop.repeated } : {}),
});

const sameSettings = (a: PreflightSettings, b: PreflightSettings): boolean =>
  a.approval === b.approval && a.remembered.join() === b.remembered.join();

async function executeToolCall(
  context: PortsContext,
  prepared: PreparedCall,
  assistant: StoredMessage<AssistantMessage>,
  { call, failedBefore }: BatchCall,
) {
  const { input, abort, record } = context;
  const { callId, toolCallId, toolName, digest, args: changed, edited } = prepared;
  const args = inlineArguments(changed ?? call.arguments);
  const request = {
    v: 1 as const,
    sessionId: input.sessionId,
    cwd: input.cwd,
    callId,
    assistant: { runId: record.runId, messageId: assistant.id },
    position: Number(callId.split(".")[1]),
    model: modelName(context),
    summary: prepared.summary,
    digest,
    failedBefore,
    approved: prepared.kind === "ask",
    lockKeys: prepared.lockKeys,
    ...(args ? { args } : {}),
    ...(changed ? { changed } : {}),
    ...(edited ? { edited } : {}),
  };
  const settled = (code: SettledCall["code"], reason?: string): SettledCall => ({
    callId,
    toolCallId,
    toolName,
    code,
    ...(reason ? { reason } : {}),
  });
  const running = abort.run(callId, () =>
    tools[toolName]!.executeWithOptions({ activityId: callId, summary: prepared.summary }, [request]),
  );
  const gaveUp = abort.grace(limits.abortGraceMs);
  try {
    const outcome = await Promise.race([running, gaveUp]);
    if (!outcome) return settled("gaveUp");
    return { result: outcome.stored, ...(outcome.terminate ? { terminate: true } : {}) };
  } catch (error) {
    if (isCancellation(error)) return settled("aborted");
    return settled(
      "failed",
      applicationFailureOf(error)?.message ?? (error instanceof Error ? error.message : String(error)),
    );
  }
}

/** Arguments small enough to repeat for the reader of the Temporal UI. */
function inlineArguments(args: ToolCall["arguments"]): ToolCall["arguments"] | undefined {
  return JSON.stringify(args).length <= limits.inlineArgumentsCharacters ? args : undefined;
}
