import { setTimeout as sleep } from "node:timers/promises";
import type { Overview, SessionClient, SessionSummary } from "../../../client/contract.ts";
import { HttpError } from "../http-error.ts";

const lingerMs = 10_000;
const againMs = 2_000;
const firstWaitMs = 10_000;

type Listener = (overview: Overview, number: number) => void;

/** One watcher of all sessions for the whole server: however many pages are open, Temporal is asked once each 2 s. */
export class OverviewHub {
  readonly #client: SessionClient;
  readonly #log: (line: string) => void;
  readonly #lingerMs: number;
  readonly #listeners = new Set<Listener>();
  #latest: Overview | undefined;
  #number = 0;
  #watching: AbortController | undefined;
  #stopTimer: NodeJS.Timeout | undefined;

  constructor(client: SessionClient, log: (line: string) => void, options: { lingerMs?: number } = {}) {
    this.#client = client;
    this.#log = log;
    this.#lingerMs = options.lingerMs ?? lingerMs;
  }

  /** Tells the latest overview at once, if there is one, and each change; the returned function ends it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#start();
    if (this.#latest) listener(this.#latest, this.#number);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopSoon();
    };
  }

  /** The newest overview, or the first that comes. */
  async latest(): Promise<Overview> {
    if (this.#latest && this.#watching) {
      if (this.#listeners.size === 0) this.#stopSoon();
      return this.#latest;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Overview>();
    const timer = setTimeout(
      () => reject(new HttpError(503, "the list of sessions does not come", { next: "tempi status" })),
      firstWaitMs,
    );
    const leave = this.subscribe(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /** The session's line as it was last seen. */
  lineOf(sessionId: string): SessionSummary | undefined {
    return this.#latest?.sessions.find(({ id }) => id === sessionId);
  }

  close(): void {
    clearTimeout(this.#stopTimer);
    this.#listeners.clear();
    this.#watching?.abort();
    this.#watching = undefined;
  }

  #start(): void {
    clearTimeout(this.#stopTimer);
    if (this.#watching) return;
    this.#watching = new AbortController();
    void this.#watch(this.#watching.signal);
  }

  #stopSoon(): void {
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(() => {
      if (this.#listeners.size > 0) return;
      this.#watching?.abort();
      this.#watching = undefined;
      // What is old is not shown to who comes later.
      this.#latest = undefined;
    }, this.#lingerMs).unref();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const overview of this.#client.watch(signal)) {
          if (signal.aborted) return;
          this.#latest = overview;
          this.#number++;
          for (const listener of [...this.#listeners]) listener(overview, this.#number);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#log(`error: watching the sessions failed and is tried again: ${String(error)}`);
      }
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
