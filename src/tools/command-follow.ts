import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type CommandFiles, type CommandStop, outputSize, readExit } from "./command-files.ts";
import { endGroup, type GroupLeader, groupMembers, isAlive, killGroup, type ProcessIdentity } from "./process-group.ts";

/** How a command ended. `lost`: its wrapper is gone and nobody knows the exit code. */
export type CommandEnd =
  | { kind: "exited"; code: number; time: number }
  | CommandStop
  | {
      kind: "lost";
      time: number;
      /** Whether this process started it and saw its end; else it was gone when a later attempt looked. */
      seen: boolean;
      /** Signal that ended the wrapper, where it was seen. */
      signal?: NodeJS.Signals;
    };

export interface Following {
  files: CommandFiles;
  /** The wrapper, if this process started it: then its end is an event. */
  child?: ChildProcess;
  /** Of the wrapper; undefined until it wrote it. */
  identity: () => Promise<ProcessIdentity | undefined>;
  /** Milliseconds from now; Infinity without timeout. */
  remainingMs: number;
  /** Bytes of output at which the command is killed. */
  spoolBytes: number;
  signal: AbortSignal;
  /** Called when there is new output, at most every 100 ms, never twice at once. */
  onOutput: () => Promise<void>;
}

const pollMs = 40;
/** Looking for what is left of a group reads about every process. */
const groupPollMs = 250;
const updateMs = 100;
/** Quiet that is taken for the end of the output when background children keep the pipe open after the shell ended. */
const quietMs = 150;
/** The most that a child which goes on writing holds the result. */
const drainMs = 600;
/** Between TERM and KILL of an aborted command. */
const abortGraceMs = 1200;
/** Bytes: a command that wrote more is stopped, or it would fill the disk. */
export const maximumSpoolBytes = 1024 ** 3;

/**
 * Waits for a command: its own end, its timeout, an abort. Leaves it running only when the signal's reason is
 * `WorkerShutdown`.
 * @throws the signal's reason on worker shutdown
 */
export async function followCommand(following: Following): Promise<CommandEnd> {
  const wake = createWake(following.child, following.signal);
  try {
    return await watchCommand(following, wake);
  } finally {
    wake.close();
  }
}

async function watchCommand(following: Following, wake: Wake): Promise<CommandEnd> {
  const { files, signal, onOutput } = following;
  const deadline = performance.now() + following.remainingMs;
  let size = 0;
  let updatedAt = 0;
  for (;;) {
    // Looked at before the exit file: a wrapper that is gone has written all it ever will.
    const gone = await wrapperIsGone(following, wake.childEnded);
    const exit = await readExit(files);
    if (exit) {
      if (!gone) await drain(following, wake);
      return { kind: "exited", ...exit };
    }
    if (signal.aborted) return await stopAborted(following);
    if (performance.now() >= deadline) return await stop(following, "timeout");
    const now = await outputSize(files);
    if (now > following.spoolBytes) return await stop(following, "tooMuchOutput");
    if (gone && !(await groupLives(following))) {
      const late = await readExit(files);
      return late ? { kind: "exited", ...late } : lost(following.child);
    }
    if (now !== size && performance.now() - updatedAt >= updateMs) {
      size = now;
      updatedAt = performance.now();
      await onOutput();
    }
    await wake.next(Math.min(gone ? groupPollMs : pollMs, Math.max(0, deadline - performance.now())));
  }
}

function lost(child: ChildProcess | undefined): CommandEnd {
  const signal = child?.signalCode;
  return { kind: "lost", time: Date.now(), seen: child !== undefined, ...(signal ? { signal } : {}) };
}

async function wrapperIsGone({ child, identity }: Following, ended: boolean): Promise<boolean> {
  if (child) return ended;
  const known = await identity();
  return !known || !(await isAlive(known));
}

async function groupLives(following: Following): Promise<boolean> {
  const leader = await leaderOf(following);
  return leader !== undefined && (await groupMembers(leader)).length > 0;
}

const leaderOf = async ({ child, identity }: Following): Promise<GroupLeader | undefined> =>
  (await identity()) ?? (child?.pid === undefined ? undefined : { pid: child.pid });

/** Waits until all output is written: the wrapper ended, or the output is quiet, or a child writes without end. */
async function drain(following: Following, wake: Wake): Promise<void> {
  const start = performance.now();
  let size = await outputSize(following.files);
  let changedAt = start;
  while (performance.now() - start < drainMs && performance.now() - changedAt < quietMs) {
    if (await wrapperIsGone(following, wake.childEnded)) return;
    await wake.next(10);
    const now = await outputSize(following.files);
    if (now !== size) changedAt = performance.now();
    size = now;
  }
}

/** Kills the group at once. */
async function stop(following: Following, kind: CommandStop["kind"]): Promise<CommandEnd> {
  const leader = await leaderOf(following);
  if (leader !== undefined) await killGroup(leader);
  return { kind, time: Date.now() };
}

async function stopAborted(following: Following): Promise<CommandEnd> {
  if (isWorkerShutdown(following.signal.reason)) throw following.signal.reason;
  const leader = await leaderOf(following);
  if (leader) await endGroup(leader, abortGraceMs);
  return { kind: "aborted", time: Date.now() };
}

/** Whether a signal was given because the worker stops: then a later attempt goes on, so nothing may be killed. */
export function isWorkerShutdown(reason: unknown): boolean {
  if (typeof reason === "string") return /worker ?shutdown/i.test(reason);
  if (typeof reason !== "object" || reason === null) return false;
  const { name, message } = reason as { name?: unknown; message?: unknown };
  return name === "WorkerShutdown" || (typeof message === "string" && /worker ?shutdown/i.test(message));
}

interface Wake {
  readonly childEnded: boolean;
  /** Resolves after `ms`, or earlier when the child ended or the signal was given. */
  next: (ms: number) => Promise<void>;
  close: () => void;
}

function createWake(child: ChildProcess | undefined, signal: AbortSignal): Wake {
  const cleanup = new AbortController();
  let wakeUp: (() => void) | undefined;
  let childEnded = child !== undefined && (child.exitCode !== null || child.signalCode !== null);
  let aborted = signal.aborted;
  const onAbort = () => {
    aborted = true;
    wakeUp?.();
  };
  signal.addEventListener("abort", onAbort);
  if (child && !childEnded) {
    once(child, "exit", { signal: cleanup.signal }).then(
      () => {
        childEnded = true;
        wakeUp?.();
      },
      () => undefined,
    );
  }
  let seenEnd = false;
  let seenAbort = false;
  return {
    get childEnded() {
      return childEnded;
    },
    next: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, ms);
        function done() {
          clearTimeout(timer);
          wakeUp = undefined;
          seenEnd = childEnded;
          seenAbort = aborted;
          resolve();
        }
        // An event between two waits must not be slept through.
        if (childEnded !== seenEnd || aborted !== seenAbort) done();
        else wakeUp = done;
      }),
    close: () => {
      signal.removeEventListener("abort", onAbort);
      cleanup.abort();
    },
  };
}
