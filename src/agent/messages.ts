/** The messages of a conversation, in Pi's shapes. Plain JSON: they cross Temporal and files unchanged. */

export interface TextContent {
  type: "text";
  text: string;
}

/** Reasoning of the model. `field` is the name it had on the wire (`reasoning_content`, …), kept for replay. */
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  field?: string;
}

/** `data` is base64. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}

export interface ToolCall {
  type: "toolCall";
  /** The provider's id: data only, it may be empty, repeated or huge. Ours is `<turn>.<position>` (`callIdOf`). */
  id: string;
  name: string;
  /** What the model sent, never what validation made of it. */
  arguments: Record<string, unknown>;
  /** Set when the arguments text was not one JSON object; such a call is answered with this error and not run. */
  argumentsError?: { message: string; raw: string };
  thoughtSignature?: string;
}

/** Token counts. `input` excludes cached tokens. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; absent when nobody knows the price. */
  cost?: number;
  /** The price of a part is not known, so `cost` is that of the rest: the whole costs at least this. */
  costIncomplete?: true;
}

export interface UserMessage {
  role: "user";
  content: (TextContent | ImageContent)[];
  /** No person wrote it: the check of an answer failed. */
  source?: "until";
  /** Milliseconds since 1970. */
  timestamp: number;
}

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  provider: string;
  /** The model that was asked. */
  model: string;
  /** The model that answered, when the endpoint says another name. */
  responseModel?: string;
  responseId?: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
}

export interface ToolResultMessage<TDetails = unknown> {
  role: "toolResult";
  /** The provider's id of the call, as in `ToolCall.id`. */
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: TDetails;
  usage?: Usage;
  /** What the tool's renderer made of it, for people; never sent to a model. */
  rendered?: string;
  isError: boolean;
  timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** A message with the id that the activity attempt (or the prompt's sender) gave it. */
export interface StoredMessage<M extends Message = Message> {
  id: string;
  message: M;
}

export const noUsage = (): Usage => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

/** Sum of two usages. A cost that is known of one part only stays, as that of a part. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost = a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) };
  const known = cost.cost !== undefined || a.costIncomplete || b.costIncomplete;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...cost,
    ...(known && (isUnpriced(a) || isUnpriced(b)) ? { costIncomplete: true } : {}),
  };
}

/** Something was used of which a price is missing; nothing used has no price either, and none is missing. */
const isUnpriced = ({ input, output, cacheRead, cacheWrite, cost, costIncomplete }: Usage): boolean =>
  costIncomplete === true || (cost === undefined && input + output + cacheRead + cacheWrite > 0);

export const toolCallsOf = (message: AssistantMessage): ToolCall[] =>
  message.content.filter((block): block is ToolCall => block.type === "toolCall");

/** Text of all text blocks, joined by newlines. */
export const textOf = (content: readonly { type: string }[]): string =>
  content
    .filter((block): block is TextContent => block.type === "text")
    .map((block) => block.text)
    .join("\n");
