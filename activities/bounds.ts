import type { ImageContent, TextContent, ToolResultMessage } from "../src/agent/messages.ts";
import { limits } from "../src/protocol/limits.ts";
import { truncateToBytes } from "./truncate-bytes.ts";

/**
 * The one choke point before Temporal: ill-formed strings crash or stall the SDK's edges, and what is too large is
 * retried for ever. Every result, message and error text passes here.
 */
export function boundResult(message: ToolResultMessage): ToolResultMessage {
  const content = boundContent(message.content);
  const bounded: ToolResultMessage = { ...wellFormed(message), content };
  if (bounded.details !== undefined && sizeOf(bounded.details) > limits.detailsBytes) {
    bounded.details = { omitted: `details over ${limits.detailsBytes} bytes are not kept` };
  }
  return bounded;
}

function boundContent(content: (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
  let left: number = limits.resultBytes;
  return content.map((block) => {
    const size = sizeOf(block);
    if (size <= left) {
      left -= size;
      return wellFormed(block);
    }
    if (block.type === "image") {
      return {
        type: "text",
        text: `[image of ${size} bytes left out: results hold at most ${limits.resultBytes} bytes]`,
      };
    }
    const note = `\n[cut: results hold at most ${limits.resultBytes} bytes]`;
    const text = truncateToBytes(block.text, Math.max(0, left - 200));
    left = 0;
    return wellFormed({ type: "text", text: text + note });
  });
}

/** Bytes as JSON. */
export const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** A copy in which every string is well-formed UTF-16 and without NUL. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\u{FFFD}") as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key.toWellFormed(), wellFormed(entry)]),
    ) as T;
  }
  return value;
}

/** Error text for a failure, a result or a state: well-formed and at most 4 KB. */
export const boundErrorText = (text: string): string => truncateToBytes(wellFormed(text), limits.errorTextBytes);
