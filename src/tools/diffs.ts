import { structuredPatch } from "diff";

/** What a tool tells about a change of a file. */
export interface ChangeDetails {
  /** Unified patch; cut at `maximumPatchBytes`. */
  diff: string;
  /** 1-based line in the new file; absent when nothing changed. */
  firstChangedLine?: number;
  added: number;
  removed: number;
}

/** Bytes; below the limit for details of a result. */
const maximumPatchBytes = 32 * 1024;
/** Edit distance, in lines, from which on a change is shown as one block: the cost of a diff grows with its square. */
const maximumEditLength = 2000;

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

/** Compares two texts by lines. `path` is the name shown in the patch. */
export function describeChange(path: string, before: string, after: string): ChangeDetails {
  if (before === after) return { diff: "", added: 0, removed: 0 };
  const options = { context: 3, maxEditLength: maximumEditLength };
  const hunks: Hunk[] = structuredPatch(path, path, before, after, "", "", options)?.hunks ?? [
    oneBlock(linesOf(before), linesOf(after)),
  ];
  const count = (sign: string) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  return {
    diff: cut(patchText(path, hunks), maximumPatchBytes),
    firstChangedLine: firstChangedLine(hunks[0]!),
    added: count("+"),
    removed: count("-"),
  };
}

/** `(+3 −1)`. */
export const countsText = (change: ChangeDetails): string => `(+${change.added} −${change.removed})`;

/** Cuts a patch after a whole line and says so. */
export function cut(patch: string, bytes: number): string {
  if (Buffer.byteLength(patch) <= bytes) return patch;
  const start = Buffer.from(patch).subarray(0, bytes).toString("utf8");
  const whole = start.slice(0, start.lastIndexOf("\n") + 1);
  const left = patch.slice(whole.length).split("\n").length - 1;
  return `${whole}… ${left} more lines of this change are not shown\n`;
}

function patchText(path: string, hunks: Hunk[]): string {
  // No spread of lines as arguments: a hunk may have more of them than the stack holds.
  const blocks = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join("\n")}`,
  );
  return `${[`--- ${path}`, `+++ ${path}`, ...blocks].join("\n")}\n`;
}

function firstChangedLine(hunk: Hunk): number {
  const context = hunk.lines.findIndex((line) => !line.startsWith(" "));
  return Math.max(1, hunk.newStart + Math.max(0, context));
}

/** Everything between the equal start and the equal end, as one replaced block. */
function oneBlock(before: string[], after: string[]): Hunk {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}

const linesOf = (text: string): string[] => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
