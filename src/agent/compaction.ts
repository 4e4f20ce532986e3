import type { Message } from "./messages.ts";

/** When and where a conversation is cut. Token figures are estimates; the endpoint's own counts go first where there are some. */
const charactersPerToken = 4;
const imageCharacters = 4_800;
const reserveTokens = 16_384;
const keptTokens = 20_000;
const leastOutputTokens = 256;

/** Tokens that must stay free for the answer; of small windows a quarter, and for long answers never more than half. */
const reserveOf = (contextWindow: number, maxOutput = 0): number =>
  Math.max(Math.min(reserveTokens, Math.floor(contextWindow / 4)), Math.min(maxOutput, Math.floor(contextWindow / 2)));

/** Tokens of recent messages that stay word for word. */
export const keptTokensOf = (contextWindow: number | undefined): number =>
  contextWindow === undefined ? keptTokens : Math.min(keptTokens, Math.floor(contextWindow / 4));

export const needsCompaction = (
  contextTokens: number,
  contextWindow: number | undefined,
  maxOutput?: number,
): boolean => contextWindow !== undefined && contextTokens > contextWindow - reserveOf(contextWindow, maxOutput);

/** Size of a request in tokens; `counted` of them the endpoint itself told, the others are an estimate. */
export interface InputTokens {
  input: number;
  counted: number;
}

/**
 * Tokens of output to ask for, so that input and output fit the window: `maxOutput`, or what the window leaves; undefined
 * = what the endpoint gives. Of what is estimated a quarter more is taken for possible.
 */
export function outputLimit(
  { contextWindow, maxOutput }: { contextWindow?: number; maxOutput?: number },
  { input, counted }: InputTokens,
): number | undefined {
  if (maxOutput === undefined || contextWindow === undefined) return maxOutput;
  const left = contextWindow - input - Math.ceil((input - counted) / 4);
  // With less no answer is possible: then the endpoint tells that the window is full, and the conversation is compacted.
  return Math.min(maxOutput, Math.max(left, leastOutputTokens));
}

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

/** Tokens of the conversation up to and with an answer, as its endpoint counted them; 0 = it does not count, or is no answer. */
export function countedTokens(message: Message): number {
  if (message.role !== "assistant") return 0;
  const { input, output, cacheRead, cacheWrite } = message.usage;
  return input + output + cacheRead + cacheWrite;
}

/** Context in tokens after a message was added: what was counted is the truth up to it; everything else adds its estimate. */
export const contextAfter = (tokens: number, message: Message): number =>
  countedTokens(message) || tokens + estimateTokens(message);

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
