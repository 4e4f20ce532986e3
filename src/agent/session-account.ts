import { type StoredMessage, type ToolCall, type ToolResultMessage, toolCallsOf } from "./messages.ts";

export interface AnsweredCall {
  call: ToolCall;
  result: ToolResultMessage;
}

/** Calls with their results. Ids are the provider's and may repeat: a result belongs to the newest answer before it. */
export function answeredCalls(messages: readonly StoredMessage[]): AnsweredCall[] {
  const pairs: AnsweredCall[] = [];
  let open: ToolCall[] = [];
  for (const { message } of messages) {
    if (message.role === "assistant") open = toolCallsOf(message);
    if (message.role !== "toolResult") continue;
    const position = open.findIndex((call) => call.id === message.toolCallId && call.name === message.toolName);
    if (position >= 0) pairs.push({ call: open.splice(position, 1)[0]!, result: message });
  }
  return pairs;
}

export interface FileChange {
  path: string;
  added: number;
  removed: number;
}

/** Rows added and removed per file, by edits and writes that succeeded, in the order of first change. */
export function fileChanges(messages: readonly StoredMessage[]): FileChange[] {
  const files = new Map<string, FileChange>();
  for (const { call, result } of answeredCalls(messages)) {
    const details = result.details as { added?: unknown; removed?: unknown } | undefined;
    const path = call.arguments.path;
    if (result.isError || typeof path !== "string") continue;
    if (typeof details?.added !== "number" && typeof details?.removed !== "number") continue;
    const file = files.get(path) ?? { path, added: 0, removed: 0 };
    file.added += Number(details.added ?? 0);
    file.removed += Number(details.removed ?? 0);
    files.set(path, file);
  }
  return [...files.values()];
}

export interface CommandRun {
  command: string;
  failed: boolean;
  exitCode?: number;
  durationMs?: number;
}

/** Codes in the details of results that no tool gave, for calls that did not even begin. */
const neverRan: ReadonlySet<unknown> = new Set(["denied", "aborted", "length", "tooMany"]);

export const didNotRun = (result: ToolResultMessage): boolean =>
  neverRan.has((result.details as { settled?: unknown } | undefined)?.settled);

/** Commands that ran, in order; denied, refused and stopped ones that never began are left out. */
export function commandsRun(messages: readonly StoredMessage[]): CommandRun[] {
  return answeredCalls(messages).flatMap(({ call, result }): CommandRun[] => {
    const details = result.details as { exitCode?: unknown; durationMs?: unknown } | undefined;
    if (didNotRun(result)) return [];
    if (result.toolName !== "bash" || typeof call.arguments.command !== "string" || details === undefined) return [];
    const exitCode = typeof details.exitCode === "number" ? details.exitCode : undefined;
    return [
      {
        command: call.arguments.command,
        failed: result.isError || (exitCode ?? 0) !== 0,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(typeof details.durationMs === "number" ? { durationMs: details.durationMs } : {}),
      },
    ];
  });
}

const testPattern =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|test)\b|vitest|jest|mocha|pytest|tox|(?:go|cargo|dotnet|mix|swift|deno|make|gradle|mvn)\s+(?:\S+\s+)?test\b|node\s+--test|rspec|phpunit|ctest)/;

export const lastTest = (commands: readonly CommandRun[]): CommandRun | undefined =>
  commands.findLast((run) => testPattern.test(run.command));

/** The diff in a result's details: text or a list of rows; undefined where there is none. */
export function diffOf(details: unknown): string | undefined {
  const diff = (details as { diff?: unknown } | null | undefined)?.diff;
  if (typeof diff === "string") return diff === "" ? undefined : diff;
  if (Array.isArray(diff) && diff.every((row) => typeof row === "string")) return diff.join("\n");
  return undefined;
}

/** Recorded patches per path as the calls named it, oldest first, of calls that succeeded. */
export function patchesOf(messages: readonly StoredMessage[]): Map<string, string[]> {
  const patches = new Map<string, string[]>();
  for (const { call, result } of answeredCalls(messages)) {
    const patch = diffOf(result.details);
    const path = call.arguments.path;
    if (result.isError || patch === undefined || typeof path !== "string") continue;
    patches.set(path, [...(patches.get(path) ?? []), patch]);
  }
  return patches;
}
