/** Which result answers which call. Provider ids may be empty, repeated in one answer, or used again in every turn. */
import type { AssistantMessage, Message, ToolCall, ToolResultMessage, UserMessage } from "../../agent/messages.ts";
import { toolCallsOf } from "../../agent/messages.ts";

/** An assistant message with its calls and the result of each; `undefined` = none came. */
export interface Exchange {
  assistant: AssistantMessage;
  calls: { call: ToolCall; result: ToolResultMessage | undefined }[];
}

export type Step = { kind: "user"; message: UserMessage } | ({ kind: "exchange" } & Exchange);

/**
 * The conversation as it may be sent: failed and aborted assistant messages are left out, each result stands with its call
 * (also one that came after a user message), and results without a call are dropped.
 */
export function pairResults(messages: readonly Message[]): Step[] {
  const steps: Step[] = [];
  let current: Exchange | undefined;
  for (const message of messages) {
    if (message.role === "user") {
      steps.push({ kind: "user", message });
    } else if (message.role === "toolResult") {
      const open = current?.calls.filter(({ call, result }) => !result && call.id === message.toolCallId) ?? [];
      const answered = open.find(({ call }) => call.name === message.toolName) ?? open[0];
      if (answered) answered.result = message;
    } else if (message.stopReason === "error" || message.stopReason === "aborted") {
      // Its results, if any, must not be taken for those of an older call with the same id.
      current = undefined;
    } else {
      const exchange: Exchange = {
        assistant: message,
        calls: toolCallsOf(message).map((call) => ({ call, result: undefined })),
      };
      steps.push({ kind: "exchange", ...exchange });
      current = exchange;
    }
  }
  return steps;
}
