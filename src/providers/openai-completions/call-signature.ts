/** Signatures over the reasoning behind a call: some models refuse the call's replay without its own. */
import type { ToolCall } from "../../agent/messages.ts";
import { isJsonObject, type JsonObject } from "../../schema/json-value.ts";

/** OpenRouter sends them beside the calls; the whole entry must come back, so its JSON is the signature. */
export function callSignature(detail: unknown): { callId: string; text: string } | undefined {
  if (!isJsonObject(detail) || detail.type !== "reasoning.encrypted") return undefined;
  const { id, data } = detail;
  return typeof id === "string" && id !== "" && typeof data === "string"
    ? { callId: id, text: JSON.stringify(detail) }
    : undefined;
}

/** Where the signature of a call goes: into the call itself as Google has it, or into the message as OpenRouter has it. */
export function replayedSignature(
  { thoughtSignature }: ToolCall,
  wireId: string,
): { inCall?: JsonObject; inMessage?: JsonObject } {
  if (!thoughtSignature) return {};
  const detail = thoughtSignature.startsWith("{") ? entryOf(thoughtSignature) : undefined;
  return detail
    ? { inMessage: { ...detail, id: wireId } }
    : { inCall: { google: { thought_signature: thoughtSignature } } };
}

function entryOf(text: string): JsonObject | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    return isJsonObject(entry) && entry.type === "reasoning.encrypted" ? entry : undefined;
  } catch {
    return undefined;
  }
}
