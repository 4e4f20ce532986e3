import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcess, type ProcessIdentity } from "../server/process-identity.ts";
import type { ChildState } from "./up-state.ts";

/** A running child: our own, or one left by a dead supervisor. */
export interface RunningChild {
  identity: ProcessIdentity;
  /** Resolves when it is gone, with how it ended in words. */
  exited: Promise<string>;
  /** Set for a process that was found: dying before it is ready (it was being stopped) is no death of ours. */
  adopted?: boolean;
}

export interface KeeperOptions {
  start: () => Promise<RunningChild>;
  /** Resolves when the child can be used. */
  ready: (child: RunningChild, signal: AbortSignal) => Promise<{ version?: string }>;
  /** Called at every change. */
  onChange: (state: ChildState) => void;
  /** Last line of the child's log, for a death. */
  lastLine: () => string | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Whether a death with this last line is to be waited out and tried again without being counted. */
  isPassing?: (line: string) => boolean;
}

/** A keeper of one kind of child. */
export const keeperOf = (child: Omit<KeeperOptions, "onChange">, onChange: KeeperOptions["onChange"]): ChildKeeper =>
  new ChildKeeper({
    start: child.start,
    ready: child.ready,
    lastLine: child.lastLine,
    graceMs: child.graceMs,
    onChange,
    ...(child.isPassing ? { isPassing: child.isPassing } : {}),
  });

const deathsToGiveUp = 3;
const deathWindowMs = 60_000;
/** How long a passing cause (a database still locked by a server that stops) may last. */
const passingMs = 15_000;

/** Keeps one child running: starts it again when it dies, gives up after 3 deaths in 60 s. */
export class ChildKeeper {
  state: ChildState = { state: "stopped", restarts: 0 };
  readonly #options: KeeperOptions;
  readonly #wake = new EventEmitter();
  #child: RunningChild | undefined;
  #stopping = false;
  #restarting = false;
  #loop: Promise<void> | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Begins; with `adopt` it keeps a process that already runs. */
  begin(adopt?: RunningChild): void {
    this.#loop = this.#run(adopt);
  }

  /** Ends the child for good. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake.emit("wake");
    await this.#end();
    await this.#loop;
    this.#set({ state: "stopped" });
  }

  /** Leaves the child running and forgets it. */
  leave(): void {
    this.#stopping = true;
  }

  /** Ends the child and starts a new one, also after it was given up. */
  async restart(): Promise<void> {
    this.#restarting = true;
    this.#wake.emit("wake");
    await this.#end();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    await endProcess(child.identity, this.#options.graceMs);
    await child.exited;
  }

  async #run(adopt: RunningChild | undefined): Promise<void> {
    let deaths: number[] = [];
    let passingSince: number | undefined;
    while (!this.#stopping) {
      this.#restarting = false;
      this.#set({ state: "starting" });
      const outcome = await this.#once(adopt);
      const wasAdopted = adopt !== undefined;
      adopt = undefined;
      if (this.#stopping) return;
      // Asked for: what was wrong before has been seen.
      if (this.#restarting) this.#set({ lastError: undefined });
      if (this.#restarting || (wasAdopted && !outcome.wasReady)) continue;
      const now = performance.now();
      if (this.#options.isPassing?.(outcome.cause)) {
        passingSince ??= now;
        if (now - passingSince < passingMs) {
          await sleep(250);
          continue;
        }
      }
      passingSince = undefined;
      deaths = [...deaths.filter((at) => now - at < deathWindowMs), now];
      this.#set({ restarts: this.state.restarts + 1, lastError: outcome.cause });
      if (deaths.length < deathsToGiveUp) continue;
      this.#set({ state: "failed" });
      await once(this.#wake, "wake");
      this.#set({ lastError: undefined });
      deaths = [];
    }
  }

  /** One life of the child. */
  async #once(adopt: RunningChild | undefined): Promise<{ wasReady: boolean; cause: string }> {
    let child: RunningChild;
    try {
      child = adopt ?? (await this.#options.start());
    } catch (error) {
      return { wasReady: false, cause: (error as Error).message };
    }
    this.#child = child;
    this.#set({ ...child.identity, since: Date.now() });
    // A stop that came while the child was being started found none to end.
    if (this.#stopping || this.#restarting) void endProcess(child.identity, this.#options.graceMs);
    const life = new AbortController();
    let wasReady = false;
    let notReady: string | undefined;
    this.#options.ready(child, life.signal).then(
      ({ version }) => {
        wasReady = !life.signal.aborted;
        if (wasReady) this.#set({ state: "ready", ...(version === undefined ? {} : { version }) });
      },
      (error: Error) => {
        notReady = error.message;
      },
    );
    const how = await child.exited;
    life.abort();
    this.#child = undefined;
    const cause = this.#options.lastLine() ?? (notReady && !wasReady ? `${how}: ${notReady}` : how);
    if (!this.#stopping) this.#set({ state: "starting", pid: undefined, start: undefined });
    return { wasReady, cause };
  }

  #set(change: { [K in keyof ChildState]?: ChildState[K] | undefined }): void {
    const merged = Object.entries({ ...this.state, ...change }).filter(([, value]) => value !== undefined);
    this.state = Object.fromEntries(merged) as unknown as ChildState;
    this.#options.onChange(this.state);
  }
}
