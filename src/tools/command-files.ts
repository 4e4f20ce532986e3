import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import type { ProcessIdentity } from "./process-group.ts";

/** Files of one command in its call folder, which only the user can enter. */
export interface CommandFiles {
  /** What is about to be started; on disk before it is. */
  intent: string;
  /** Who the wrapper is; its own first act. */
  pid: string;
  /** stdout and stderr in arrival order. Made just before the command starts. */
  output: string;
  /** A later attempt found an intent without a start, and made sure that there will be none. */
  notStarted: string;
  /** Exit code of the command's shell; empty or missing while it runs. */
  exit: string;
  /** How tempi ended the command itself; missing when it ended on its own. */
  stopped: string;
  /** There when the writer of the output failed; holds its exit code, or nothing where even that could not be written. */
  outputLost: string;
  /** What the writer of the output said; empty when it failed in nothing. */
  writerSaid: string;
}

export const commandFiles = (folder: string): CommandFiles => ({
  intent: join(folder, "intent.json"),
  pid: join(folder, "pid"),
  output: join(folder, "output"),
  notStarted: join(folder, "not-started.json"),
  exit: join(folder, "exit"),
  stopped: join(folder, "stopped.json"),
  outputLost: join(folder, "output-lost"),
  writerSaid: join(folder, "writer-said"),
});

export interface CommandIntent {
  version: 1;
  callId: string;
  /** SHA-256 of command and working folder. */
  hash: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970; absent without timeout. */
  deadline?: number;
  /** A later attempt found nothing started and made sure that nothing will be. */
  abandoned?: true;
}

export const commandHash = (command: string, cwd: string): string =>
  createHash("sha256")
    .update(JSON.stringify([command, cwd]))
    .digest("hex");

/** @throws Error when the record is there but cannot be read */
export async function readIntent(files: CommandFiles): Promise<CommandIntent | undefined> {
  const text = await readIfThere(files.intent);
  return text === undefined ? undefined : (JSON.parse(text) as CommandIntent);
}

/** Why a command was stopped, and when, in milliseconds since 1970. */
export interface CommandStop {
  kind: "timeout" | "aborted" | "tooMuchOutput";
  time: number;
}

export async function readStop(files: CommandFiles): Promise<CommandStop | undefined> {
  const text = await readIfThere(files.stopped);
  return text === undefined ? undefined : (JSON.parse(text) as CommandStop);
}

/** Exit code and the time, in milliseconds since 1970, it was written. */
export async function readExit(files: CommandFiles): Promise<{ code: number; time: number } | undefined> {
  const text = await readIfThere(files.exit);
  const code = text && /^(\d+)\n$/.exec(text)?.[1];
  return code ? { code: Number(code), time: (await stat(files.exit)).mtimeMs } : undefined;
}

/** Undefined until the wrapper wrote its line whole. */
export async function readIdentity(files: CommandFiles): Promise<ProcessIdentity | undefined> {
  const [pid, bootId, startTime] = (await readIfThere(files.pid))?.match(/^(\d+)\t([^\t]*)\t(.*)\n$/)?.slice(1) ?? [];
  return pid ? { pid: Number(pid), bootId: bootId!, startTime: startTime!.trim() } : undefined;
}

/** Why a part of the output is not in its file. */
export interface OutputLoss {
  diskFull: boolean;
  /** Signal that ended the writer. */
  signal?: string;
}

/** Undefined when all was stored. */
export async function readOutputLoss(files: CommandFiles): Promise<OutputLoss | undefined> {
  const code = await readIfThere(files.outputLost);
  if (code === undefined) return undefined;
  const signal = signalOfExitCode(Number(code));
  const said = (await readIfThere(files.writerSaid)) ?? "";
  // On a full disk the records themselves stay empty.
  const diskFull = code === "" || /no space left|quota exceeded/i.test(said);
  return { diskFull, ...(signal ? { signal } : {}) };
}

/** Shells report a death by signal n as 128 + n. */
export function signalOfExitCode(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

/** Bytes of output so far. */
export const outputSize = (files: CommandFiles): Promise<number> =>
  stat(files.output).then(
    ({ size }) => size,
    () => 0,
  );

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
