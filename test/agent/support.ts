import type { ApprovalOutcome } from "../../src/agent/batch.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import {
  type CheckedAnswer,
  type LoopEnd,
  type LoopLimits,
  type LoopPorts,
  type LoopState,
  runAgentLoop,
} from "../../src/agent/loop.ts";
import {
  type AssistantMessage,
  noUsage,
  type StopReason,
  type StoredMessage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from "../../src/agent/messages.ts";
import type { CallOutcome, PreparedCall, SettledCall } from "../../src/agent/prepared-call.ts";
import { settledText } from "../../src/agent/settled.ts";

export const user = (id: string): StoredMessage<UserMessage> => ({
  id,
  message: { role: "user", content: [{ type: "text", text: id }], timestamp: 0 },
});

export const call = (name: string, args: Record<string, unknown> = {}, id = `provider-${name}`): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});

export function assistant(content: (string | ToolCall)[], stopReason: StopReason = "stop"): AssistantMessage {
  return {
    role: "assistant",
    content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
    provider: "fake",
    model: "fake",
    usage: noUsage(),
    stopReason,
    timestamp: 0,
  };
}

export const toolResult = (text: string, isError = false): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: "",
  toolName: "",
  content: [{ type: "text", text }],
  isError,
  timestamp: 0,
});

export const limits: LoopLimits = { maxTurns: 10, callsPerAnswer: 128, parallelCalls: 16, repeatedFailuresStop: 6 };

/** Ports over plain values: answers in order, tools as functions. Everything that happened is in `log` and `transcript`. */
export class FakePorts implements LoopPorts {
  readonly events: AgentEvent[] = [];
  readonly transcript: StoredMessage[] = [];
  readonly log: string[] = [];
  steering: StoredMessage<UserMessage>[] = [];
  followUps: StoredMessage<UserMessage>[] = [];
  answers: (AssistantMessage | LoopEnd)[];
  isAborted = false;
  /** What the preflight makes of a call, over the default `ready`. */
  prepared: (callId: string, call: ToolCall) => Partial<PreparedCall> = () => ({});
  run: (callId: string, call: ToolCall) => Promise<Partial<CallOutcome> & { text?: string; isError?: boolean }> =
    async () => ({});
  approve: (callId: string, prepared: PreparedCall) => Promise<ApprovalOutcome> = async (_callId, prepared) => ({
    kind: "allowed",
    prepared,
  });
  beforeNextTurn: () => void = () => undefined;

  constructor(answers: (AssistantMessage | LoopEnd)[]) {
    this.answers = answers;
  }

  emit = (event: AgentEvent) => void this.events.push(event);
  append = (stored: StoredMessage) => this.transcript.push(stored) - 1;
  now = () => 0;
  aborted = () => this.isAborted;
  limit: LoopEnd | undefined;
  limitReached = () => this.limit;
  /** What the check says of one answer after the other; content when there is no more. */
  checks: CheckedAnswer[] = [];
  checkAnswer = async () => this.checks.shift();
  callId = (turn: number, position: number) => `${turn}.${position}`;
  queued = (delivery: "steer" | "followUp") => (delivery === "steer" ? this.steering : this.followUps).length > 0;
  takeSteering = () => this.steering.splice(0, 1);
  takeFollowUps = () => this.followUps.splice(0, 1);

  async streamAssistant(turn: number) {
    this.log.push(`model ${turn}`);
    const answer = this.answers.shift() ?? assistant(["done"]);
    return "role" in answer ? { id: `a${turn}`, message: answer } : answer;
  }

  async prepareToolCalls(
    _turn: number,
    _assistant: StoredMessage<AssistantMessage>,
    calls: { callId: string; call: ToolCall }[],
  ) {
    return calls.map(({ callId, call: source }): PreparedCall => {
      this.log.push(`prepare ${callId}`);
      return {
        callId,
        toolCallId: source.id,
        toolName: source.name,
        kind: "ready",
        effect: "read",
        executionMode: "parallel",
        lockKeys: [],
        digest: "",
        summary: source.name,
        display: [],
        ...this.prepared(callId, source),
      };
    });
  }

  async awaitApprovals(
    asking: PreparedCall[],
    _assistant: unknown,
    onSettled: (callId: string, outcome: ApprovalOutcome) => void,
  ) {
    const outcomes = new Map<string, ApprovalOutcome>();
    await Promise.all(
      asking.map(async (prepared) => {
        const outcome = await this.approve(prepared.callId, prepared);
        outcomes.set(prepared.callId, outcome);
        onSettled(prepared.callId, outcome);
      }),
    );
    return outcomes;
  }

  async executeToolCall(
    prepared: PreparedCall,
    _assistant: unknown,
    { call: source }: { call: ToolCall },
  ): Promise<CallOutcome | SettledCall> {
    this.log.push(`start ${prepared.callId}`);
    const { text = "ok", isError = false, terminate } = await this.run(prepared.callId, source);
    this.log.push(`end ${prepared.callId}`);
    return {
      result: { id: `r${prepared.callId}`, message: toolResult(text, isError) },
      ...(terminate ? { terminate } : {}),
    };
  }

  async settleToolCalls(_turn: number, calls: SettledCall[]) {
    return calls.map((settled) => ({ id: `s${settled.callId}`, message: toolResult(settledText(settled), true) }));
  }

  async prepareNextTurn() {
    this.beforeNextTurn();
  }

  /** Runs the loop on one prompt. */
  async go(state: LoopState = { turn: 0, turnsThisPrompt: 0 }, bounds: LoopLimits = limits): Promise<LoopEnd> {
    this.steering.unshift(user("prompt"));
    return await runAgentLoop(this, state, bounds);
  }

  /** Ids of the transcript, in order. */
  get ids(): string[] {
    return this.transcript.map(({ id }) => id);
  }

  /** Text of each result, in order. */
  get results(): string[] {
    return this.transcript.flatMap(({ message }) =>
      message.role === "toolResult" ? message.content.map((block) => (block.type === "text" ? block.text : "")) : [],
    );
  }

  types(prefix: string): string[] {
    return this.events
      .filter(({ type }) => type.startsWith(prefix))
      .map((event) => ("toolCallId" in event && event.toolCallId ? `${event.type} ${event.toolCallId}` : event.type));
  }
}

/** A promise that a test opens. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
