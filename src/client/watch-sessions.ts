import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { allSessions } from "../protocol/live.ts";
import type { ClientContext } from "./client-context.ts";
import type { Overview, SessionSummary } from "./contract.ts";
import { listSessions } from "./list-sessions.ts";
import { LiveConnection } from "./live-connection.ts";
import { WaitingApprovals } from "./waiting-approvals.ts";

const pollMs = 2_000;
/** Hints that come in a burst are answered by one list query. */
const burstMs = 150;
const listPatienceMs = 4_000;

/**
 * All sessions, anew at each change. Costs one list query each 2 s while nothing happens; what waits is asked of a session only
 * when its line changed or its worker hinted.
 */
export async function* watchSessions(context: ClientContext, signal: AbortSignal): AsyncGenerator<Overview> {
  const watcher = new SessionsWatcher(context);
  let last: Overview | undefined;
  try {
    while (!signal.aborted) {
      const overview = await watcher.look();
      if (signal.aborted) return;
      if (!isDeepStrictEqual(overview, last)) yield overview;
      last = overview;
      await watcher.changed(signal);
    }
  } finally {
    watcher.close();
  }
}

class SessionsWatcher {
  readonly #context: ClientContext;
  readonly #live: LiveConnection;
  readonly #approvals: WaitingApprovals;
  readonly #hinted = new Set<string>();
  #sessions: SessionSummary[] = [];
  #answered = false;
  #wake: () => void = () => undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#approvals = new WaitingApprovals(context, () => {
      this.#answered = true;
      this.#wake();
    });
    this.#live = new LiveConnection({
      home: context.home,
      sessionId: allSessions,
      onMessage: (message) => {
        this.#hinted.add(message.sessionId);
        this.#wake();
      },
      onWorkerChanged: () => this.#approvals.outdated(),
    });
  }

  close(): void {
    this.#live.close();
  }

  async look(): Promise<Overview> {
    this.#live.ensure();
    const hinted = new Set(this.#hinted);
    this.#hinted.clear();
    try {
      // Without a limit the library would try for minutes, and nobody would learn that the list is old.
      const deadline = Date.now() + listPatienceMs;
      this.#sessions = await this.#context.client.withDeadline(deadline, () => listSessions(this.#context));
    } catch (error) {
      for (const id of hinted) this.#hinted.add(id);
      return { sessions: this.#sessions, waiting: this.#approvals.all(), offline: firstLine(error) };
    }
    await this.#approvals.update(this.#sessions, hinted, this.#live.connected);
    return { sessions: this.#sessions, waiting: this.#approvals.all() };
  }

  /** Resolves at a hint, or when it is time to look again. */
  async changed(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#hinted.size > 0 || this.#answered) this.#wake();
    this.#answered = false;
    const timer = new AbortController();
    const ended = AbortSignal.any([timer.signal, signal]);
    await Promise.race([woken, sleep(pollMs, undefined, { signal: ended }).catch(() => undefined)]);
    timer.abort();
    if (this.#hinted.size > 0) await sleep(burstMs, undefined, { signal }).catch(() => undefined);
  }
}

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
