import type { StopReason } from "../../agent/messages.ts";
import { ModelError } from "../contract.ts";

type Finish = "stop" | "length" | "calls" | "filtered" | "interrupted" | "unknown";

const meanings: Record<string, Finish> = {
  stop: "stop",
  end: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  complete: "stop",
  completed: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  tool_calls: "calls",
  tool_call: "calls",
  tool_use: "calls",
  function_call: "calls",
  content_filter: "filtered",
  content_filtered: "filtered",
  sensitive: "filtered",
  safety: "filtered",
  recitation: "filtered",
  prohibited_content: "filtered",
  refusal: "filtered",
  error: "interrupted",
  network_error: "interrupted",
  insufficient_system_resource: "interrupted",
  abort: "interrupted",
  aborted: "interrupted",
};

/**
 * What the end of a stream means. Calls run because they exist, whatever else the reason says.
 * @param reason as on the wire; `undefined` = the stream ended without one.
 * @throws ModelError `transient` for a stream that was cut or announced calls and brought nothing, `contentFilter`, and
 *   `invalid` for a reason that is not known.
 */
export function stopReasonFor(
  reason: string | undefined,
  has: { text: boolean; calls: boolean },
  finishReasonOptional = false,
): StopReason {
  if (reason === undefined) {
    if (finishReasonOptional && (has.text || has.calls)) return has.calls ? "toolUse" : "stop";
    throw new ModelError("transient", "the answer ended without a finish reason: the stream was cut");
  }
  const meaning = meanings[reason.toLowerCase()] ?? "unknown";
  if (meaning === "length") return "length";
  if (meaning === "filtered") {
    throw new ModelError("contentFilter", `the answer was stopped by the provider's content filter ("${reason}")`, {
      next: "say it in other words, or ask another model",
    });
  }
  if (meaning === "interrupted") {
    throw new ModelError("transient", `the provider broke off the answer with "${reason}"`);
  }
  if (has.calls) return "toolUse";
  if (meaning === "calls" && !has.text) {
    throw new ModelError("transient", "the answer announced tool calls but held none");
  }
  if (meaning === "unknown") {
    throw new ModelError("invalid", `the answer ended with an unknown finish reason ("${reason.slice(0, 100)}")`);
  }
  return "stop";
}
