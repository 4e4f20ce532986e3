import type { ToolCall } from "./messages.ts";

/**
 * How many turns in a row a call (tool and arguments, by its key) failed. Only calls of the last turn are in it, so it stays
 * small. Plain data: it can be carried.
 */
export type RepeatedFailures = Record<string, number>;

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

/**
 * Folds one turn in: a call that failed again counts one more, however often the answer held it (the model could not know yet);
 * one that worked, or was not tried again, is forgotten.
 */
export function countFailures(
  before: RepeatedFailures | undefined,
  batch: { key: string; isError: boolean }[],
): RepeatedFailures | undefined {
  const worked = new Set(batch.filter(({ isError }) => !isError).map(({ key }) => key));
  const failed = new Set(batch.map(({ key }) => key).filter((key) => !worked.has(key)));
  if (failed.size === 0) return undefined;
  return Object.fromEntries([...failed].map((key) => [key, (before?.[key] ?? 0) + 1]));
}

/** The longest series. */
export const mostFailures = (repeated: RepeatedFailures | undefined): number =>
  Math.max(0, ...Object.values(repeated ?? {}));
