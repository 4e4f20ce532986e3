import { type StoredMessage, type ToolCall, toolCallsOf } from "../../../agent/messages.ts";
import type { CallRow, Row } from "./rows.ts";

/** Rows of the transcript without events: times of calls, approvals and notices are not known. */
export function rowsOfMessages(messages: readonly StoredMessage[]): Row[] {
  const rows: Row[] = [];
  let turn = 0;
  let open: { call: ToolCall; at: number }[] = [];
  for (const { id, message } of messages) {
    switch (message.role) {
      case "user":
        rows.push({
          kind: "prompt",
          key: `prompt:${id}`,
          at: message.timestamp,
          content: message.content,
          ...(message.source && { source: message.source }),
        });
        break;
      case "assistant": {
        turn++;
        rows.push({ kind: "answer", key: `history:${id}`, turn, at: message.timestamp, message });
        const calls = toolCallsOf(message).map((call, at) => callRow(call, turn, at + 1, message.timestamp));
        open = calls.map(({ call }, at) => ({ call: call!, at: rows.length + at }));
        rows.push(...calls);
        break;
      }
      case "toolResult": {
        // Ids are the provider's and may repeat: the first open call that fits.
        const fits = open.findIndex(({ call }) => call.id === message.toolCallId && call.name === message.toolName);
        if (fits === -1) break;
        const { at } = open.splice(fits, 1)[0]!;
        rows[at] = { ...(rows[at] as CallRow), result: message };
        break;
      }
    }
  }
  return rows;
}

const callRow = (call: ToolCall, turn: number, position: number, startedAt: number): CallRow => ({
  kind: "call",
  key: `history:${turn}.${position}`,
  turn,
  toolCallId: `${turn}.${position}`,
  toolName: call.name,
  summary: summaryOfCall(call),
  call,
  startedAt,
});

/** One line for a call: its command, path or pattern, or nothing. */
function summaryOfCall({ arguments: { command, path, pattern } }: ToolCall): string {
  const text = [command, path, pattern].find((value) => typeof value === "string");
  return typeof text === "string" ? text.replaceAll(/\s+/g, " ").trim().slice(0, 120) : "";
}
