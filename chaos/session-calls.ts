import { textOf, toolCallsOf } from "../src/agent/messages.ts";
import type { EventItem } from "../src/client/contract.ts";
import { wireIdOf } from "./model/answer.ts";

/** What became of a call, as the model was told. */
export type Outcome = "done" | "failed" | "unknown" | "notRun" | "stopped";

/** One call with its result. */
export interface SessionCall {
  /** `<turn>.<position>`; "" where no event tells it. */
  callId: string;
  token: string;
  tool: string;
  args: Record<string, unknown>;
  /** Texts of the results that name it; one is right. */
  results: string[];
  isError: boolean;
  details: { exitCode?: number | null; settled?: string } | undefined;
  outcome: Outcome;
  startedAt?: number;
  endedAt?: number;
}

/** The calls of a session in their order, from its events. Answers that were stopped in the middle have none that ran. */
export function callsOf(events: readonly EventItem[]): SessionCall[] {
  const calls: SessionCall[] = [];
  let turn = 0;
  for (const { event, message } of events) {
    if (event.type === "turn_start") turn = event.turn;
    if (message?.role === "assistant" && message.stopReason !== "aborted") {
      for (const [at, call] of toolCallsOf(message).entries()) {
        calls.push({
          callId: `${turn}.${at + 1}`,
          token: call.id.slice(wireIdOf("").length),
          tool: call.name,
          args: call.arguments,
          results: [],
          isError: false,
          details: undefined,
          outcome: "unknown",
        });
      }
    } else if (message?.role === "toolResult") {
      const call = calls.findLast(({ token }) => wireIdOf(token) === message.toolCallId);
      if (!call) continue;
      call.results.push(textOf(message.content));
      call.isError = message.isError;
      call.details = message.details as SessionCall["details"];
      call.outcome = outcomeOf(call);
    } else if (event.type === "tool_execution_start" || event.type === "tool_execution_end") {
      const call = calls.findLast(({ callId }) => callId === event.toolCallId);
      if (call) call[event.type === "tool_execution_start" ? "startedAt" : "endedAt"] = event.at;
    }
  }
  return calls;
}

/** By the words that the product promises to use. */
function outcomeOf({ results, isError, details }: SessionCall): Outcome {
  const text = results.at(-1)!;
  if (!isError) return "done";
  if (/may have run|may still run|may have taken effect/.test(text)) return "unknown";
  if (/^Not run:|did not run|A person denied this call|did not overwrite it|^The worker stopped before/.test(text))
    return "notRun";
  if (/Command aborted\.|timed out/.test(text)) return "stopped";
  const { exitCode } = details ?? {};
  // A command that a fault killed may have been before or after its effect.
  if (typeof exitCode === "number") return exitCode >= 128 ? "stopped" : "failed";
  return "notRun";
}
