import type { ToolCall } from "./messages.ts";

/** How often in a row the same call (tool and arguments) failed. Plain data: it can be carried. */
export interface RepeatedFailures {
  key: string;
  count: number;
}

/** Short name of a call's content: FNV-1a over tool and arguments. Equal calls are equal keys; a rare clash only adds a notice. */
export function callKey(call: Pick<ToolCall, "name" | "arguments" | "argumentsError">): string {
  const text = `${call.name}\n${call.argumentsError?.raw ?? JSON.stringify(call.arguments)}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  return `${call.name}:${text.length}:${(hash >>> 0).toString(16)}`;
}

/** Folds one batch in. A success of the same call, or another failing call, starts over. */
export function countFailures(
  before: RepeatedFailures | undefined,
  batch: { key: string; isError: boolean }[],
): RepeatedFailures | undefined {
  let now = before;
  for (const { key, isError } of batch) {
    if (!isError) now = now?.key === key ? undefined : now;
    else now = now?.key === key ? { key, count: now.count + 1 } : { key, count: 1 };
  }
  // A batch in which everything worked ends the series, whatever it called.
  return batch.some((call) => call.isError) ? now : undefined;
}
