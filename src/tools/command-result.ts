import { constants } from "node:os";
import type { AgentToolResult } from "../agent/tool.ts";
import type { CommandEnd } from "./command-follow.ts";
import type { OutputTail } from "./output-tail.ts";
import { formatSize, maximumBytes } from "./truncate.ts";

export interface CommandDetails {
  /** Null when it is not known: killed by us, or lost. */
  exitCode: number | null;
  /** Milliseconds. */
  durationMs: number;
  /** Absolute path of the whole output, readable by the user only. */
  outputFile: string;
  outputBytes: number;
  /** Whether the model saw only the end. */
  truncated: boolean;
}

/** The words that every interrupted call carries, so that model and person know that the effect is not certain. */
const interruptedText =
  "Command interrupted, may have run: the worker or the machine stopped while it was under way, and its exit code is not known. It was not started again. Check what it did before you repeat it.";

/** What the model reads of a command that ended. */
export function commandResult(
  end: CommandEnd,
  tail: OutputTail,
  about: { durationMs: number; outputFile: string; outputLost: boolean; timeoutSeconds?: number },
): AgentToolResult<CommandDetails> {
  const exitCode = end.kind === "exited" ? end.code : null;
  const lost = about.outputLost ? "[A part of the output could not be stored; is the disk full?]" : "";
  const parts = [
    tailText(tail),
    tailNote(tail, about.outputFile),
    lost,
    endNote(end, tail.totalBytes, about.timeoutSeconds),
  ];
  return {
    content: [{ type: "text", text: parts.filter((part) => part !== "").join("\n\n") }],
    details: detailsOf(tail, about.outputFile, about.durationMs, exitCode),
    isError: exitCode !== 0,
  };
}

/** What whoever watches sees of a command that runs. */
export const commandUpdate = (
  tail: OutputTail,
  outputFile: string,
  durationMs: number,
): AgentToolResult<CommandDetails> => ({
  content: [{ type: "text", text: tail.text }],
  details: detailsOf(tail, outputFile, durationMs, null),
});

const detailsOf = (
  tail: OutputTail,
  outputFile: string,
  durationMs: number,
  exitCode: number | null,
): CommandDetails => ({
  exitCode,
  durationMs: Math.max(0, Math.round(durationMs)),
  outputFile,
  outputBytes: tail.totalBytes,
  truncated: tail.truncated,
});

/** Empty or blank text is refused by some endpoints, so it is put into words. */
function tailText(tail: OutputTail): string {
  if (tail.text.trim() !== "") return tail.text;
  return tail.totalBytes === 0 ? "(no output)" : `(only blank output, ${formatSize(tail.totalBytes)})`;
}

function tailNote(tail: OutputTail, outputFile: string): string {
  if (!tail.truncated) return "";
  const whole = `Full output (${formatSize(tail.totalBytes)}): ${outputFile}`;
  if (tail.longLineBytes !== undefined) {
    return `[Only the last ${maximumBytes / 1024} KB of the last line are shown; the line has ${tail.longLineBytes} bytes. ${whole}]`;
  }
  if (tail.totalLines === undefined) return `[Only the last ${tail.lines} lines are shown. ${whole}]`;
  return `[Lines ${tail.totalLines - tail.lines + 1}-${tail.totalLines} of ${tail.totalLines}. ${whole}]`;
}

function endNote(end: CommandEnd, outputBytes: number, timeoutSeconds: number | undefined): string {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? "" : `Command exited with code ${end.code}${signalText(end.code)}.`;
    case "timeout":
      return `Command timed out after ${timeoutSeconds} s and was killed.`;
    case "aborted":
      return "Command aborted.";
    case "tooMuchOutput":
      return `Command killed: it wrote too much output (${formatSize(outputBytes)}).`;
    case "lost":
      return interruptedText;
  }
}

/** Shells report a death by signal n as 128 + n. */
function signalText(code: number): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return code > 128 && name ? ` (killed by ${name})` : "";
}
