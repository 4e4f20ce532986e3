import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { groupOf } from "../agent/session-groups.ts";
import { allSessions } from "../protocol/live.ts";
import type { ClientContext } from "./client-context.ts";
import type { Overview, SessionSummary, WaitingApproval } from "./contract.ts";
import { listSessions } from "./list-sessions.ts";
import { LiveConnection } from "./live-connection.ts";
import { stateOf } from "./session-state.ts";

const pollMs = 2_000;
/** Hints that come in a burst are answered by one list query. */
const burstMs = 150;
const listPatienceMs = 4_000;
const statePatienceMs = 5_000;
/** A worker elsewhere gives no hints: what waits there is asked for anew this often. */
const unhintedMs = 10_000;

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

interface Known {
  line: string;
  askedAt: number;
  waiting: WaitingApproval[];
}

class SessionsWatcher {
  readonly #context: ClientContext;
  readonly #live: LiveConnection;
  readonly #known = new Map<string, Known>();
  readonly #hinted = new Set<string>();
  #sessions: SessionSummary[] = [];
  #wake: () => void = () => undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#live = new LiveConnection({
      home: context.home,
      sessionId: allSessions,
      onMessage: (message) => {
        this.#hinted.add(message.sessionId);
        this.#wake();
      },
      onWorkerChanged: () => this.#known.clear(),
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
      return { sessions: this.#sessions, waiting: this.#waiting(), offline: firstLine(error) };
    }
    const asking = this.#sessions.filter(({ waiting, state }) => waiting > 0 && groupOf(state) !== "Done");
    const open = new Set(asking.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!open.has(id)) this.#known.delete(id);
    await Promise.all(asking.map((summary) => this.#ask(summary, hinted.has(summary.id))));
    return { sessions: this.#sessions, waiting: this.#waiting() };
  }

  /** Resolves at a hint, or when it is time to look again. */
  async changed(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#hinted.size > 0) this.#wake();
    const timer = new AbortController();
    const ended = AbortSignal.any([timer.signal, signal]);
    await Promise.race([woken, sleep(pollMs, undefined, { signal: ended }).catch(() => undefined)]);
    timer.abort();
    if (this.#hinted.size > 0) await sleep(burstMs, undefined, { signal }).catch(() => undefined);
  }

  async #ask(summary: SessionSummary, hinted: boolean): Promise<void> {
    const { id, runId, state, waiting, repository } = summary;
    const line = `${runId} ${state} ${waiting}`;
    const before = this.#known.get(id);
    const old = !this.#live.connected && Date.now() - (before?.askedAt ?? 0) > unhintedMs;
    if (before?.line === line && !hinted && !old) return;
    const deadline = Date.now() + statePatienceMs;
    const found = await this.#context.client
      .withDeadline(deadline, () => stateOf(this.#context, id))
      .catch(() => undefined);
    // No worker answered: what was known stays on show, and the next look asks again.
    if (!found) return;
    const { title, pending } = found;
    const approvals = pending.map((approval) => ({ sessionId: id, title, repository, approval }));
    this.#known.set(id, { line, askedAt: Date.now(), waiting: approvals });
  }

  #waiting(): WaitingApproval[] {
    return [...this.#known.values()]
      .flatMap(({ waiting }) => waiting)
      .sort((a, b) => a.approval.requestedAt - b.approval.requestedAt);
  }
}

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
