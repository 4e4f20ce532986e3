import type { AgentEvent, SessionEvent, SessionOnlyEvent } from "../../../../src/agent/events.ts";
import type { AssistantMessage, Message } from "../../../../src/agent/messages.ts";
import { noUsage } from "../../../../src/agent/messages.ts";
import type { EventItem, FollowItem } from "../../../../src/client/contract.ts";
import type { LiveBlock } from "../../../../src/protocol/live.ts";

export const at0 = Date.UTC(2026, 10, 30, 12, 0, 0);

/** Numbered items as a stream sends them; each is a second later than the one before. */
export class Items {
  seq = 0;
  #index = 0;

  event(event: AgentEvent | SessionOnlyEvent, message?: Message, at?: number): EventItem {
    this.seq++;
    const numbered = { ...event, seq: this.seq, at: at ?? at0 + this.seq * 1_000 } as SessionEvent;
    return { kind: "event", event: numbered, ...(message ? { message } : {}) };
  }

  message(id: string, message: Message, toolCallId?: string): EventItem {
    const call = toolCallId === undefined ? {} : { toolCallId };
    return this.event(
      { type: "message_end", messageId: id, role: message.role, index: this.#index++, ...call },
      message,
    );
  }

  prompt(id: string, text: string): EventItem {
    return this.message(id, { role: "user", content: [{ type: "text", text }], timestamp: at0 });
  }

  /** A whole turn with one bash call. */
  turn(turn: number, text: string, output: string): EventItem[] {
    const toolCallId = `${turn}.1`;
    const call = { toolCallId, toolName: "bash", summary: "npm test" };
    return [
      this.event({ type: "turn_start", turn }),
      this.message(`a${turn}`, answer(text, [{ name: "bash", arguments: { command: "npm test" } }])),
      this.event({ type: "tool_execution_start", ...call }),
      this.event({ type: "tool_execution_end", ...call, isError: false, durationMs: 500 }),
      this.message(`r${turn}`, result("bash", output), toolCallId),
      this.event({ type: "turn_end", turn, usage: { ...noUsage(), input: 10 } }),
    ];
  }
}

export const answer = (
  text: string,
  calls: { name: string; arguments: Record<string, unknown> }[] = [],
): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text },
    ...calls.map((call, at) => ({ type: "toolCall" as const, id: `call-${at}`, ...call })),
  ],
  provider: "p",
  model: "m",
  usage: noUsage(),
  stopReason: "stop",
  timestamp: at0,
});

export const result = (toolName: string, text: string, details?: unknown): Message => ({
  role: "toolResult",
  toolCallId: "call-0",
  toolName,
  content: [{ type: "text", text }],
  ...(details === undefined ? {} : { details }),
  isError: false,
  timestamp: at0,
});

export const live = (source: string, blocks: LiveBlock[], attempt = 1): FollowItem => ({
  kind: "live",
  frame: { type: "frame", sessionId: "k7f3qd", source, attempt, seq: 1, blocks },
});
