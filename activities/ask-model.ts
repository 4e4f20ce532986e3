import { countedTokens, estimateTokens, type InputTokens, outputLimit } from "../src/agent/compaction.ts";
import type { AssistantMessage, Message } from "../src/agent/messages.ts";
import type { ModelSettings } from "../src/protocol/session.ts";
import type { ModelRequest, StreamAssistant } from "../src/providers/contract.ts";
import { withCost } from "../src/providers/price.ts";
import type { ActivityServices } from "./services.ts";

type Conversation = Pick<ModelRequest, "systemPrompt" | "messages" | "tools" | "thinking">;
type Options = Parameters<StreamAssistant>[1] & {
  /** A summary stands for the beginning of the conversation. */
  summarised?: boolean;
};

/**
 * Asks the session's model once: address and key, and what this machine's configuration says of it. The answer's usage holds its
 * cost where that is known.
 */
export async function askModel(
  services: ActivityServices,
  model: ModelSettings,
  conversation: Conversation,
  { summarised = false, ...options }: Options,
): Promise<AssistantMessage> {
  const apiKey = await services.apiKeyFor(model);
  const { compat, thinking, price, ...sizes } = services.modelOptions(model);
  const maxTokens = outputLimit({ ...sizesOf(model), ...sizes }, inputTokens(conversation, summarised));
  const message = await services.streamAssistant(
    {
      provider: model.provider,
      model: model.model,
      ...(model.baseUrl ? { baseUrl: model.baseUrl } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(model.keyVariable ? { keyVariable: model.keyVariable } : {}),
      ...(compat ? { compat } : {}),
      ...(thinking ? { thinkingMap: thinking } : {}),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...conversation,
    },
    options,
  );
  return { ...message, usage: withCost(message.usage, price) };
}

const sizesOf = ({ contextWindow, maxOutput }: ModelSettings) => ({
  ...(contextWindow === undefined ? {} : { contextWindow }),
  ...(maxOutput === undefined ? {} : { maxOutput }),
});

/** Input of a request in tokens, and how many of them the endpoint itself counted with an earlier answer. */
function inputTokens({ systemPrompt, messages, tools }: Conversation, summarised: boolean): InputTokens {
  let input = estimateTokens(textMessage(systemPrompt + JSON.stringify(tools)));
  let counted = 0;
  for (const message of messages) {
    // What was counted before a summary took the place of the beginning is the size of a conversation that is no more.
    const known = summarised ? 0 : countedTokens(message);
    input = known > 0 ? known : input + estimateTokens(message);
    if (known > 0) counted = known;
  }
  return { input, counted };
}

const textMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 0 });
