import type { ToolResultMessage } from "../../agent/messages.ts";
import { textOf } from "../../agent/messages.ts";
import { didNotRun, diffOf } from "../../agent/session-account.ts";
import { callLine, tailLines } from "../render/call.ts";
import { diffLines } from "../render/diff.ts";
import { markdownLines } from "../render/markdown.ts";
import type { Line } from "../text/line.ts";
import type { Look } from "../text/look.ts";

/** Rows of a failure that stay. */
export const failedTail = 10;
const liveTail = 5;
const diffRows = 40;

/** A call from its start event until its result is printed. */
export interface CallRow {
  toolCallId: string;
  toolName: string;
  summary: string;
  startedAt: number;
  ended?: { isError: boolean; durationMs: number };
  /** Set when a person denied it or the approval was withdrawn: it did not run. */
  notRun?: string;
  /** Piped output said that it runs. */
  announced?: boolean;
}

/** The call and its result as they stay on screen: one line, then the diff of an edit or the tail of a failure. */
export function settledCall(call: CallRow, result: ToolResultMessage | undefined, look: Look): Line[] {
  const isError = call.ended?.isError ?? result?.isError ?? false;
  const notRun = call.notRun ?? (result !== undefined && didNotRun(result) ? "not run" : undefined);
  const state = notRun !== undefined ? "none" : isError ? "failed" : "done";
  const head = callLine(
    {
      state,
      toolName: call.toolName,
      summary: call.summary,
      // A call that did not run has no duration worth reading: it waited for a person.
      ...(call.ended && notRun === undefined ? { durationMs: call.ended.durationMs } : {}),
      note: notRun ?? exitNote(result),
    },
    look,
  );
  if (result === undefined || notRun !== undefined) return [head];
  if (result.rendered) return [head, ...markdownLines(result.rendered, look)];
  if (isError) return [head, ...tailLines(textOf(result.content), failedTail, look)];
  const diff = diffOf(result.details);
  return diff === undefined ? [head] : [head, ...diffLines(diff, look, { most: diffRows })];
}

/** The call while it runs or waits, with the tail of its output. */
export function movingCall(call: CallRow, output: string, asks: boolean, look: Look, now: number): Line[] {
  const state = asks
    ? "asks"
    : call.notRun !== undefined
      ? "none"
      : call.ended === undefined
        ? "running"
        : call.ended.isError
          ? "failed"
          : "done";
  const head = callLine(
    {
      state,
      toolName: call.toolName,
      summary: call.summary,
      ...(asks ? { note: "waits for you" } : call.notRun !== undefined ? { note: call.notRun } : {}),
      ...(asks || call.notRun !== undefined
        ? {}
        : { durationMs: call.ended?.durationMs ?? wholeSeconds(now - call.startedAt) }),
    },
    look,
  );
  return call.ended === undefined && !asks ? [head, ...tailLines(output, liveTail, look)] : [head];
}

function exitNote(result: ToolResultMessage | undefined): string {
  const code = (result?.details as { exitCode?: unknown } | undefined)?.exitCode;
  return typeof code === "number" && code !== 0 ? `exit ${code}` : "";
}

/** Seconds only: a running line must not change ten times a second. */
const wholeSeconds = (milliseconds: number): number => Math.max(0, Math.floor(milliseconds / 1000) * 1000);
