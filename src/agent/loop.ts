import { type BatchPorts, runBatch } from "./batch.ts";
import type { AgentEndReason, AgentEvent } from "./events.ts";
import type { AssistantMessage, Message, StoredMessage, UserMessage } from "./messages.ts";
import { toolCallsOf } from "./messages.ts";
import { countFailures, mostFailures, type RepeatedFailures } from "./repeated-failures.ts";

/** What the loop needs of the world. The session workflow binds it to activities, tests to fakes. */
export interface LoopPorts extends BatchPorts {
  emit(event: AgentEvent): void;
  /** Adds a message to the transcript and returns its index in it. */
  append(stored: StoredMessage): number;
  /** Asks the model. An end instead of a message: aborted before anything came, or an error that no retry mends. */
  streamAssistant(turn: number): Promise<StoredMessage<AssistantMessage> | LoopEnd>;
  /** Whether such a prompt waits; takes nothing. */
  queued(delivery: "steer" | "followUp"): boolean;
  /** Prompts that steer: taken at the start and after each turn, never inside a batch. */
  takeSteering(): StoredMessage<UserMessage>[];
  /** Prompts for when the work is done. */
  takeFollowUps(): StoredMessage<UserMessage>[];
  aborted(): boolean;
  /** The limit that aborted it, when no person did. */
  limitReached(): LoopEnd | undefined;
  /** Runs the check of the session (`until`) on an answer. Undefined: there is none, or it is content. */
  checkAnswer(state: LoopState): Promise<CheckedAnswer | undefined>;
  /** Between turns: the transcript is whole and nothing is open. May end the run by throwing (continue-as-new). */
  prepareNextTurn(state: LoopState): Promise<void>;
}

/** An answer that is none yet: what the model reads of it, and an end when it is not asked again. */
export interface CheckedAnswer {
  stored?: StoredMessage<UserMessage>;
  end?: LoopEnd;
}

/** Plain data that a run carries when it goes on elsewhere. */
export interface LoopState {
  /** Number of the last turn of the session. */
  turn: number;
  turnsThisPrompt: number;
  /** The last turn made calls, so another request follows whatever is queued. */
  goOn?: boolean;
  repeated?: RepeatedFailures;
  /** How the check of the last answer failed, and how many times in a row it failed like that. */
  checkFailed?: { how: string; times: number };
}

export interface LoopLimits {
  maxTurns: number;
  callsPerAnswer: number;
  parallelCalls: number;
  repeatedFailuresStop: number;
}

export interface LoopEnd {
  reason: AgentEndReason;
  errorMessage?: string;
}

/**
 * Runs turns until the model answers without calls and nothing is queued. One turn = one model response + its batch.
 * `state` is changed in place. A run that goes on (`resume`) neither announces itself nor needs a prompt.
 */
export async function runAgentLoop(
  ports: LoopPorts,
  state: LoopState,
  limits: LoopLimits,
  resume = false,
): Promise<LoopEnd> {
  if (!resume) {
    state.turnsThisPrompt = 0;
    delete state.checkFailed;
    ports.emit({ type: "agent_start" });
  }
  const ended = await runTurns(ports, state, limits, resume);
  const end = (ended.reason === "aborted" && ports.limitReached()) || ended;
  ports.emit({ type: "agent_end", ...end });
  return end;
}

async function runTurns(ports: LoopPorts, state: LoopState, limits: LoopLimits, resume: boolean): Promise<LoopEnd> {
  let first = true;
  let terminated = false;
  if (!resume) state.goOn = false;
  for (;;) {
    const steered = ports.queued("steer");
    if (!state.goOn && !steered && !ports.queued("followUp")) {
      const check = await ports.checkAnswer(state);
      if (check?.stored) appendMessage(ports, check.stored);
      if (check?.end) return check.end;
      if (check) state.goOn = true;
      else if (!ports.queued("steer") && !ports.queued("followUp")) {
        return { reason: terminated ? "terminated" : "answered" };
      }
      continue;
    }
    // A follow-up is new work with turns of its own.
    if (!state.goOn && !steered) {
      state.turnsThisPrompt = 0;
      delete state.checkFailed;
    }
    if (state.turnsThisPrompt >= limits.maxTurns) {
      return {
        reason: "maxTurns",
        errorMessage: `stopped after ${limits.maxTurns} ${limits.maxTurns === 1 ? "turn" : "turns"}`,
      };
    }
    // Nothing was taken from the queue yet, so whoever goes on from here finds all of it.
    if (!first) await ports.prepareNextTurn(state);
    if (ports.aborted()) return { reason: "aborted" };
    first = false;
    let prompts = ports.takeSteering();
    if (prompts.length === 0 && !state.goOn) prompts = ports.takeFollowUps();
    state.turn += 1;
    state.turnsThisPrompt += 1;
    ports.emit({ type: "turn_start", turn: state.turn });
    for (const prompt of prompts) appendMessage(ports, prompt);
    const turn = await runTurn(ports, state, limits);
    if (turn.end) return turn.end;
    state.goOn = turn.goOn === true;
    terminated = turn.terminated === true;
  }
}

interface TurnOutcome {
  end?: LoopEnd;
  goOn?: boolean;
  terminated?: boolean;
}

async function runTurn(ports: LoopPorts, state: LoopState, limits: LoopLimits): Promise<TurnOutcome> {
  const assistant = await ports.streamAssistant(state.turn);
  if ("reason" in assistant) return { end: assistant };
  appendMessage(ports, assistant);
  const { message } = assistant;
  const endTurn = () => ports.emit({ type: "turn_end", turn: state.turn, usage: message.usage });
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    endTurn();
    return message.stopReason === "aborted"
      ? { end: { reason: "aborted" } }
      : { end: { reason: "failed", errorMessage: message.errorMessage ?? "the model's answer failed" } };
  }
  // Calls run because they are there, whatever the finish reason says (length is the batch's business).
  if (toolCallsOf(message).length === 0) {
    endTurn();
    if (ports.aborted()) return { end: { reason: "aborted" } };
    // An answer cut off at the limit is an answer; asking again would only repeat it.
    return { goOn: false };
  }
  const batch = await runBatch(ports, assistant, state, limits);
  for (const { callId, stored } of batch.results) appendMessage(ports, stored, callId);
  endTurn();
  state.repeated = countFailures(state.repeated, batch.calls);
  if (ports.aborted()) return { end: { reason: "aborted" } };
  const failures = mostFailures(state.repeated);
  if (failures >= limits.repeatedFailuresStop) {
    return { end: { reason: "repeated", errorMessage: `stopped: the same call failed ${failures} times in a row` } };
  }
  return { goOn: !batch.terminate, terminated: batch.terminate };
}

function appendMessage(ports: LoopPorts, stored: StoredMessage, callId?: string): void {
  const { id, message } = stored;
  ports.emit({ type: "message_start", messageId: id, role: message.role });
  const index = ports.append(stored);
  ports.emit({ type: "message_end", messageId: id, role: message.role, index, ...messageFacts(message, callId) });
}

function messageFacts(message: Message, callId = "") {
  if (message.role === "toolResult") {
    return { toolCallId: callId, toolName: message.toolName, isError: message.isError };
  }
  return message.role === "assistant" ? { stopReason: message.stopReason } : {};
}
