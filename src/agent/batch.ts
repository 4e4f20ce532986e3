import type { AgentEvent } from "./events.ts";
import { runInLanes } from "./lanes.ts";
import type { AssistantMessage, StoredMessage, ToolCall, ToolResultMessage } from "./messages.ts";
import { toolCallsOf } from "./messages.ts";
import type { CallOutcome, PreparedCall, SettledCall, SettledCode } from "./prepared-call.ts";
import { callKey, type RepeatedFailures } from "./repeated-failures.ts";

/** A call with our id. */
export interface BatchCall {
  callId: string;
  call: ToolCall;
  /** How often this very call failed in a row before. */
  failedBefore: number;
}

/** What became of a call that waited for a person. A changed call comes back prepared anew. */
export type ApprovalOutcome =
  | { kind: "allowed"; prepared: PreparedCall }
  | { kind: "denied"; reason?: string }
  | { kind: "aborted" };

export interface BatchPorts {
  emit(event: AgentEvent): void;
  /** Milliseconds since 1970, deterministic. */
  now(): number;
  aborted(): boolean;
  callId(turn: number, position: number): string;
  /** Preflight of all calls in source order: lookup, prepare, check, hooks, policy. Runs nothing. `undefined` = aborted. */
  prepareToolCalls(
    turn: number,
    assistant: StoredMessage<AssistantMessage>,
    calls: BatchCall[],
  ): Promise<PreparedCall[] | undefined>;
  /** Asks for all of them together; settles when the last one is answered. `onSettled` is called for each as it happens. */
  awaitApprovals(
    asking: PreparedCall[],
    assistant: StoredMessage<AssistantMessage>,
    onSettled: (callId: string, outcome: ApprovalOutcome) => void,
  ): Promise<Map<string, ApprovalOutcome>>;
  /** Never rejects for a tool's fault. After an abort it settles within a bounded time. */
  executeToolCall(
    prepared: PreparedCall,
    assistant: StoredMessage<AssistantMessage>,
    call: BatchCall,
  ): Promise<CallOutcome | SettledCall>;
  /** Makes the results that no tool made. */
  settleToolCalls(turn: number, calls: SettledCall[]): Promise<StoredMessage<ToolResultMessage>[]>;
}

export interface BatchResult {
  /** Exactly one per call, in source order. */
  results: { callId: string; stored: StoredMessage<ToolResultMessage> }[];
  calls: { key: string; isError: boolean }[];
  /** Every result said so. */
  terminate: boolean;
}

/** The three phases: preflight in source order, execution together, results in source order. */
export async function runBatch(
  ports: BatchPorts,
  assistant: StoredMessage<AssistantMessage>,
  state: { turn: number; repeated?: RepeatedFailures },
  limits: { callsPerAnswer: number; parallelCalls: number },
): Promise<BatchResult> {
  const calls = toolCallsOf(assistant.message).map((call, at): BatchCall => {
    const key = callKey(call);
    const failedBefore = state.repeated?.[key] ?? 0;
    return { callId: ports.callId(state.turn, at + 1), call, failedBefore };
  });
  const outcomes = new Outcomes(ports, calls);
  outcomes.startAll();
  if (assistant.message.stopReason === "length") {
    for (const call of calls) outcomes.settle(call.callId, "length");
  } else {
    for (const call of calls.slice(limits.callsPerAnswer)) outcomes.settle(call.callId, "tooMany");
    const taken = calls.slice(0, limits.callsPerAnswer);
    try {
      await preflightAndExecute(ports, assistant, state.turn, taken, outcomes, limits.parallelCalls);
    } catch (error) {
      // Whatever broke, every call still ends with exactly one result.
      outcomes.settleRest("failed", error instanceof Error ? error.message : String(error));
    }
  }
  return outcomes.finish(state.turn);
}

async function preflightAndExecute(
  ports: BatchPorts,
  assistant: StoredMessage<AssistantMessage>,
  turn: number,
  calls: BatchCall[],
  outcomes: Outcomes,
  parallelCalls: number,
): Promise<void> {
  const prepared = ports.aborted() ? undefined : await ports.prepareToolCalls(turn, assistant, calls);
  if (!prepared || ports.aborted()) return outcomes.settleRest("aborted");
  for (const call of prepared) {
    if (call.kind === "immediate" && call.result) outcomes.done(call.callId, { result: call.result }, call.summary);
  }
  const asking = prepared.filter((call) => call.kind === "ask");
  const answers =
    asking.length === 0
      ? new Map<string, ApprovalOutcome>()
      : await ports.awaitApprovals(asking, assistant, (callId, outcome) => {
          if (outcome.kind === "denied") outcomes.settle(callId, "denied", outcome.reason);
        });
  const ready = prepared.flatMap((call): PreparedCall[] => {
    if (call.kind === "ready") return [call];
    const answer = answers.get(call.callId);
    if (answer?.kind !== "allowed") return [];
    // Edited arguments may have turned it into an immediate failure.
    if (answer.prepared.kind === "immediate" && answer.prepared.result) {
      outcomes.done(call.callId, { result: answer.prepared.result }, answer.prepared.summary);
      return [];
    }
    return [answer.prepared];
  });
  const sequential = prepared.some((call) => call.executionMode === "sequential");
  await runInLanes(
    ready.map((call) => ({
      keys: sequential ? ["the whole batch"] : call.lockKeys,
      run: async () => {
        if (ports.aborted()) return;
        outcomes.running(call.callId);
        const source = calls.find(({ callId }) => callId === call.callId)!;
        const outcome = await ports.executeToolCall(call, assistant, source);
        if ("result" in outcome) outcomes.done(call.callId, outcome, call.summary);
        else outcomes.settle(call.callId, outcome.code, outcome.reason);
      },
    })),
    parallelCalls,
  );
  outcomes.settleRest("aborted");
}

/** Collects one outcome per call and tells each start and end once. */
class Outcomes {
  readonly #ports: BatchPorts;
  readonly #calls: BatchCall[];
  readonly #done = new Map<string, CallOutcome>();
  readonly #settled = new Map<string, SettledCall>();
  readonly #startedAt = new Map<string, number>();

  constructor(ports: BatchPorts, calls: BatchCall[]) {
    this.#ports = ports;
    this.#calls = calls;
  }

  startAll(): void {
    for (const { callId, call } of this.#calls) {
      this.#ports.emit({
        type: "tool_execution_start",
        toolCallId: callId,
        toolName: call.name,
        summary: roughSummary(call),
      });
    }
  }

  /** Execution begins: the duration told at the end leaves out the wait for a person. */
  running(callId: string): void {
    this.#startedAt.set(callId, this.#ports.now());
  }

  done(callId: string, outcome: CallOutcome, summary: string): void {
    if (this.#has(callId)) return;
    this.#done.set(callId, outcome);
    this.#end(callId, outcome.result.message.isError, summary);
  }

  settle(callId: string, code: SettledCode, reason?: string): void {
    if (this.#has(callId)) return;
    const { call } = this.#calls.find((entry) => entry.callId === callId)!;
    this.#settled.set(callId, {
      callId,
      toolCallId: call.id,
      toolName: call.name,
      code,
      ...(reason ? { reason } : {}),
    });
    this.#end(callId, true, roughSummary(call));
  }

  settleRest(code: SettledCode, reason?: string): void {
    for (const { callId } of this.#calls) this.settle(callId, code, reason);
  }

  async finish(turn: number): Promise<BatchResult> {
    const settled = [...this.#settled.values()];
    const made = settled.length === 0 ? [] : await this.#ports.settleToolCalls(turn, settled);
    const madeFor = new Map(settled.map((call, at) => [call.callId, made[at]!]));
    const results = this.#calls.map(({ callId }) => ({
      callId,
      stored: this.#done.get(callId)?.result ?? madeFor.get(callId)!,
    }));
    return {
      results,
      calls: this.#calls.map(({ call }, at) => ({ key: callKey(call), isError: results[at]!.stored.message.isError })),
      terminate:
        this.#calls.length > 0 && this.#calls.every(({ callId }) => this.#done.get(callId)?.terminate === true),
    };
  }

  #has(callId: string): boolean {
    return this.#done.has(callId) || this.#settled.has(callId);
  }

  #end(callId: string, isError: boolean, summary: string): void {
    const { call } = this.#calls.find((entry) => entry.callId === callId)!;
    const durationMs = this.#ports.now() - (this.#startedAt.get(callId) ?? this.#ports.now());
    this.#ports.emit({
      type: "tool_execution_end",
      toolCallId: callId,
      toolName: call.name,
      summary,
      isError,
      durationMs,
    });
  }
}

/** One line for a call that was not looked at yet: its command, path or pattern, or nothing. */
function roughSummary(call: Pick<ToolCall, "arguments">): string {
  const { command, path, pattern } = call.arguments;
  const text = [command, path, pattern].find((value) => typeof value === "string");
  return typeof text === "string" ? text.replaceAll(/\s+/g, " ").trim().slice(0, 120) : "";
}
