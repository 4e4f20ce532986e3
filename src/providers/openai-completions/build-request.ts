import type { ModelRequest } from "../contract.ts";
import type { CompatFlags } from "./compat.ts";
import { convertMessages } from "./convert-messages.ts";
import { convertTools } from "./convert-tools.ts";
import { thinkingFields } from "./thinking.ts";
import { mappedThinkingFields } from "./thinking-map.ts";
import { wellFormed } from "./well-formed.ts";

/**
 * The body of a streaming chat-completions request.
 * @throws ModelError `invalid` when a tool requires what the endpoint cannot do.
 */
export function buildRequest(request: ModelRequest, compat: CompatFlags): Record<string, unknown> {
  const tools = convertTools(request.tools, compat);
  const hasCalls = request.messages.some(
    ({ role, content }) => role === "assistant" && content.some(({ type }) => type === "toolCall"),
  );
  return {
    model: request.model,
    messages: convertMessages(request, compat),
    stream: true,
    ...(compat.usageInStream ? { stream_options: { include_usage: true } } : {}),
    ...(compat.store ? { store: false } : {}),
    // An empty list is refused by some hosts, its absence by others once the history has calls.
    ...(tools.length > 0 || (hasCalls && compat.toolsWithHistory) ? { tools: wellFormed(tools) } : {}),
    ...(request.maxTokens === undefined ? {} : { [compat.maxTokensField]: request.maxTokens }),
    ...(request.thinkingMap
      ? mappedThinkingFields(request.thinking, request.thinkingMap, compat)
      : thinkingFields(request.thinking, request.model, compat)),
  };
}
