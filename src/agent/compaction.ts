import type { Message } from "./messages.ts";

/** When and where a conversation is cut. Token figures are estimates; the endpoint's own counts go first where there are some. */
const charactersPerToken = 4;
const imageCharacters = 4_800;
const reserveTokens = 16_384;
const keptTokens = 20_000;

/** Tokens that must stay free for the answer; of small windows a quarter. */
const reserveOf = (contextWindow: number): number => Math.min(reserveTokens, Math.floor(contextWindow / 4));

/** Tokens of recent messages that stay word for word. */
export const keptTokensOf = (contextWindow: number | undefined): number =>
  contextWindow === undefined ? keptTokens : Math.min(keptTokens, Math.floor(contextWindow / 4));

export const needsCompaction = (contextTokens: number, contextWindow: number | undefined): boolean =>
  contextWindow !== undefined && contextTokens > contextWindow - reserveOf(contextWindow);

/** Estimated tokens of one message. */
export function estimateTokens(message: Message): number {
  let characters = 0;
  for (const block of message.content) {
    if (block.type === "text") characters += block.text.length;
    else if (block.type === "thinking") characters += block.thinking.length;
    else if (block.type === "image") characters += imageCharacters;
    else characters += block.name.length + JSON.stringify(block.arguments).length;
  }
  return Math.ceil(characters / charactersPerToken);
}

/**
 * Context in tokens after a message was added: an answer's own usage is the truth up to it (all zero = the endpoint does not
 * count); everything else adds its estimate.
 */
export function contextAfter(tokens: number, message: Message): number {
  if (message.role === "assistant") {
    const { input, output, cacheRead, cacheWrite } = message.usage;
    const counted = input + output + cacheRead + cacheWrite;
    if (counted > 0) return counted;
  }
  return tokens + estimateTokens(message);
}

/**
 * Index of the first message that stays. Everything before it is summarised. Never between a call and its result: the cut is
 * before a prompt or an answer. 0 = there is nothing to cut.
 */
export function cutIndex(messages: readonly Message[], keep: number): number {
  let tokens = 0;
  let index = messages.length;
  while (index > 0 && tokens < keep) {
    index -= 1;
    tokens += estimateTokens(messages[index]!);
  }
  // The newest messages alone are more than is to be kept: at least the last answer and its results stay.
  while (index > 0 && messages[index]?.role === "toolResult") index -= 1;
  return index;
}
