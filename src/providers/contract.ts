import type { AssistantMessage, Message } from "../agent/messages.ts";
import type { Tool } from "../agent/tool.ts";
import type { CompatFlags } from "./openai-completions/compat.ts";

export interface ModelRequest {
  provider: string;
  model: string;
  /** Of a chat-completions endpoint; the scripted model has none. */
  baseUrl?: string;
  apiKey?: string;
  /** Name of the environment variable the key would come from: named in the error when it is missing. */
  keyVariable?: string;
  /** Flags that override what is known of the endpoint's host. */
  compat?: Partial<CompatFlags>;
  /** Milliseconds without any sign of life after which the attempt fails as transient; default 120 s. */
  idleTimeoutMs?: number;
  systemPrompt: string;
  messages: Message[];
  tools: Tool[];
  thinking: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** What the endpoint takes for the levels that the model has; absent = what is known of the endpoint. */
  thinkingMap?: Partial<Record<ModelRequest["thinking"], string | number | boolean>>;
  /** Output tokens; absent = the endpoint's default. */
  maxTokens?: number;
}

/** Growing text of the block `index` of the answer; `delta` is what came since the last call for it. */
export type StreamDelta =
  | { index: number; kind: "text" | "thinking"; delta: string }
  | { index: number; kind: "toolCall"; name: string; delta: string };

/**
 * Asks once, without retries of its own. Resolves with the whole message (`stopReason` stop, toolUse or length; or
 * `aborted` with what had come when `signal` aborted). Rejects only with `ModelError`.
 */
export type StreamAssistant = (
  request: ModelRequest,
  options: { signal: AbortSignal; onDelta: (delta: StreamDelta) => void },
) => Promise<AssistantMessage>;

/** What kind of failure: it decides what the engine does next. */
export type ModelErrorKind =
  | "rateLimit" // retried after the server's wait, however long
  | "transient" // 5xx, resets, streams without finish reason: retried with growing waits, bounded
  | "quota" // blocks the turn for a person
  | "auth" // 401, 403, missing key: blocks
  | "unknownModel" // blocks
  | "invalid" // ends the turn
  | "contentFilter" // ends the turn
  | "overflow"; // input larger than the window

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Milliseconds the server asked to wait. */
  readonly retryAfterMs?: number;
  /** A command or action that mends it, in words. */
  readonly next?: string;
  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { retryAfterMs?: number; next?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ModelError";
    this.kind = kind;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.next !== undefined) this.next = options.next;
  }
}
