import type { Approval } from "../../../agent/approval.ts";
import { type StoredMessage, toolCallsOf } from "../../../agent/messages.ts";
import { read } from "./api.ts";
import { chosen } from "./sessions.ts";

/**
 * What the model asked for, to be edited: from the stream where the session is open, else from its messages. Calls that wait
 * belong to the newest answer with calls. Undefined where it is not known.
 */
export async function argumentsOf(
  sessionId: string,
  { toolCallId }: Approval,
): Promise<Record<string, unknown> | undefined> {
  const store = chosen.value?.id === sessionId ? chosen.value : undefined;
  const known = store?.model.argumentsOf(toolCallId);
  if (known !== undefined) return known.arguments;
  const messages = await read<StoredMessage[]>(`/api/sessions/${sessionId}/messages`);
  const position = Number(toolCallId.split(".")[1]);
  for (const { message } of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    const calls = toolCallsOf(message);
    if (calls.length > 0) return calls[position - 1]?.arguments;
  }
  return undefined;
}
