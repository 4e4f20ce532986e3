import type { AgentToolResult } from "../agent/tool.ts";
import { type OutputLoss, signalOfExitCode } from "./command-files.ts";
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
const interruptedText = (why: string): string =>
  `Command interrupted, may have run: ${why}, and its exit code is not known. It was not started again. Check what it did before you repeat it.`;

/** What the model reads of a command that ended. */
export function commandResult(
  end: CommandEnd,
  tail: OutputTail,
  about: { durationMs: number; outputFile: string; outputLost?: OutputLoss; timeoutSeconds?: number },
): AgentToolResult<CommandDetails> {
  const exitCode = end.kind === "exited" ? end.code : null;
  const parts = [
    tailText(tail),
    tailNote(tail, about.outputFile),
    lossNote(about.outputLost),
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
      return interruptedText(lostWhy(end));
  }
}

/** Only an attempt that came later may say that worker or machine stopped: one that was there knows better. */
function lostWhy({ seen, signal }: CommandEnd & { kind: "lost" }): string {
  if (!seen) return "the worker or the machine stopped while it was under way";
  return signal ? `it was killed by ${signal}` : "it ended without leaving its exit code";
}

function lossNote(loss: OutputLoss | undefined): string {
  if (!loss) return "";
  const why = loss.diskFull
    ? "is the disk full?"
    : `its writer ${loss.signal ? `was killed by ${loss.signal}` : "failed"}.`;
  return `[A part of the output could not be stored; ${why}]`;
}

function signalText(code: number): string {
  const name = signalOfExitCode(code);
  return name ? ` (killed by ${name})` : "";
}
