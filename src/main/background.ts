import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { extname, join } from "node:path";
import { UserError } from "../config/errors.ts";
import { type Home, homeEnvironment } from "../config/home.ts";
import { lastLines, logFileOf, openLog, sizeOf } from "./log-files.ts";
import type { Prepared } from "./prepare-up.ts";
import type { BackgroundArguments } from "./supervisor-process.ts";
import { untilChanged } from "./until-changed.ts";
import { isReadable, isReady, readUp, serverIsReady, type UpState } from "./up-state.ts";

/** Milliseconds after which a start counts as failed. */
const readyMs = 30_000;

/** Starts the supervisor in a session of its own. It says nothing here; see `waitUntilReady`. */
export function spawnSupervisor(
  home: Home,
  prepared: Prepared,
  options: { environment: NodeJS.ProcessEnv; idleExitMinutes?: number; workerProgram?: string },
): ChildProcess {
  const { target, binary, extraVariables } = prepared;
  const given: BackgroundArguments = {
    binary,
    extraVariables,
    ...(target.kind === "named"
      ? {
          ...(target.profile === undefined ? { address: target.address } : { profile: target.profile }),
          namespace: target.namespace,
        }
      : {}),
    ...(options.idleExitMinutes === undefined ? {} : { idleExitMinutes: options.idleExitMinutes }),
    ...(options.workerProgram === undefined ? {} : { workerProgram: options.workerProgram }),
  };
  const program = join(import.meta.dirname, `supervisor-process${extname(import.meta.filename)}`);
  const log = openLog(home, "up");
  try {
    const child = spawn(process.execPath, [program, JSON.stringify(given)], {
      cwd: home.root,
      detached: true,
      env: { ...options.environment, ...homeEnvironment(home) },
      stdio: ["ignore", log, log],
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Waits until a supervisor of this home has server and worker ready, whoever started it. Throws UserError with the child's last
 * line when one was given up, when the started process ended, or after 30 s. Without `needWorker` a worker that was given up or
 * is late is no error.
 */
export async function waitUntilReady(
  home: Home,
  options: { started?: ChildProcess; needWorker?: boolean; until?: (state: UpState) => boolean } = {},
): Promise<UpState> {
  const { started, needWorker = true } = options;
  const ready = needWorker ? isReady : isReadable;
  const logStart = sizeOf(logFileOf(home, "up"));
  let ended = false;
  started?.once("exit", () => {
    ended = true;
  });
  started?.once("error", () => {
    ended = true;
  });
  const timeout = AbortSignal.timeout(readyMs);
  try {
    return await untilChanged(home.run, timeout, () => {
      const state = readUp(home);
      if (!state) {
        if (ended) throw notStarted(home, logStart);
        return undefined;
      }
      throwIfGivenUp(state, needWorker);
      return ready(state) && (options.until?.(state) ?? true) ? state : undefined;
    });
  } catch (error) {
    if (!timeout.aborted) throw error;
    const state = readUp(home);
    if (!needWorker && state && serverIsReady(state)) return state;
    const what = state && state.server.state !== "ready" && state.server.state !== "named" ? "server" : "worker";
    throw new UserError(`the ${what} was not ready after ${readyMs / 1000} s${reasonOf(state?.[what].lastError)}`, {
      next: `tempi logs ${what}`,
    });
  }
}

/** Throws UserError when a child died so often that it is not started again; the worker's end is none of a reader's business. */
export function throwIfGivenUp(state: UpState, needWorker = true): void {
  for (const name of needWorker ? (["server", "worker"] as const) : (["server"] as const)) {
    if (state[name].state !== "failed") continue;
    throw new UserError(`the ${name} died 3 times and is not started again${reasonOf(state[name].lastError)}`, {
      next: `tempi logs ${name}, then tempi restart`,
    });
  }
}

const reasonOf = (line: string | undefined): string => (line ? `: ${line}` : "");

function notStarted(home: Home, from: number): UserError {
  const line = lastLines(logFileOf(home, "up"), 1, from)[0];
  return new UserError(line ? line.replace(/^tempi: /, "").replace(/ Next: .*$/, "") : "the supervisor ended at once", {
    next: "tempi doctor",
  });
}
