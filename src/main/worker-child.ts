import { spawn } from "node:child_process";
import { closeSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { type Home, homeEnvironment, workerFileOf } from "../config/home.ts";
import { isProviderVariable } from "../config/provider-environment.ts";
import type { RunningChild } from "./child-keeper.ts";
import { lastErrorLine } from "./last-error.ts";
import { logFileOf, openLog, sizeOf } from "./log-files.ts";
import { spawnedChild } from "./running-child.ts";
import { untilChanged } from "./until-changed.ts";
import { readWorkerFile } from "./up-state.ts";

/** The program that is started as worker; tests give another. */
export const defaultWorkerProgram = (): string => join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

/** The worker process as the keeper handles it. */
export class WorkerChild {
  /** Milliseconds: running activities get this long to hand over. */
  readonly graceMs = 20_000;
  /** Provider variables that the next worker gets. */
  variables: Record<string, string>;
  readonly #options: WorkerChildOptions;
  /** Where the log of the present process begins. */
  #logStart = 0;

  constructor(options: WorkerChildOptions) {
    this.#options = options;
    this.variables = options.variables;
  }

  readonly start = async (): Promise<RunningChild> => {
    const { home } = this.#options;
    // A file of a killed predecessor must not make the new one look ready.
    rmSync(workerFileOf(home), { force: true });
    const { address, namespace, profile } = this.#options.target();
    this.#logStart = sizeOf(logFileOf(home, "worker"));
    const logDescriptor = openLog(home, "worker");
    try {
      const child = spawn(process.execPath, [this.#options.program, "--address", address, "--namespace", namespace], {
        cwd: home.root,
        detached: true,
        env: { ...this.#environment(), ...(profile === undefined ? {} : { TEMPI_TEMPORAL_PROFILE: profile }) },
        stdio: ["ignore", logDescriptor, logDescriptor],
      });
      return await spawnedChild(child);
    } finally {
      closeSync(logDescriptor);
    }
  };

  readonly ready = async (child: RunningChild, signal: AbortSignal): Promise<{ version?: string }> => {
    const { home } = this.#options;
    const file = await untilChanged(home.run, signal, () => {
      const found = readWorkerFile(home);
      return found?.pid === child.identity.pid ? found : undefined;
    });
    return { version: file.version };
  };

  readonly lastLine = (): string | undefined => lastErrorLine(logFileOf(this.#options.home, "worker"), this.#logStart);

  #environment(): NodeJS.ProcessEnv {
    const { environment, home } = this.#options;
    const kept = Object.entries(environment).filter(([name]) => !isProviderVariable(name));
    return { ...Object.fromEntries(kept), ...this.variables, ...homeEnvironment(home) };
  }
}

export interface WorkerChildOptions {
  home: Home;
  program: string;
  /** What the worker inherits, apart from provider variables. */
  environment: NodeJS.ProcessEnv;
  variables: Record<string, string>;
  /** Where to connect; asked at each start, since a server may have to move to another port. */
  target: () => { address: string; namespace: string; profile?: string };
}
