import { setTimeout as sleep } from "node:timers/promises";
import type { DecisionKind } from "../../../agent/approval.ts";
import type { FollowItem, Overview, SessionClient } from "../../../client/contract.ts";
import { firstLine, isNotFound } from "../http-error.ts";
import type { EventStream } from "./event-stream.ts";
import type { OverviewHub } from "./overview-hub.ts";
import { SessionLog } from "./session-log.ts";

const againMs = 1_000;
/** A closed session is read through a worker too: while none answers it is tried again this often, for as long as somebody reads. */
const unreadAgainMs = 2_000;

/** What became of an approval, as far as this run's events tell. */
export type KnownApproval = { decision: DecisionKind | "withdrawn"; by: string } | "waits";

/**
 * One follower of a session for all its readers. A reader that comes gets what happened so far, then the same texts in the
 * same order as everybody.
 */
export class SessionHub {
  readonly #id: string;
  readonly #client: SessionClient;
  readonly #overviews: OverviewHub;
  readonly #log: (line: string) => void;
  readonly #stored: SessionLog;
  readonly #readers = new Set<EventStream>();
  /** Readers that came before it was known what there is, with the last event each of them saw. */
  readonly #early = new Map<EventStream, number | undefined>();
  readonly #approvals = new Map<string, KnownApproval>();
  readonly #stop = new AbortController();
  readonly #leaveOverviews: () => void;
  /** Settles at the first item; rejects when there is no such session. */
  readonly started = Promise.withResolvers<void>();
  readonly #onProgress = new Set<() => void>();
  #isKnown = false;
  #following = false;
  #wake: () => void = () => undefined;
  #line = "";
  #runId: string | undefined;
  #failure: unknown;
  readonly #onGone: () => void;

  constructor(options: {
    id: string;
    client: SessionClient;
    overviews: OverviewHub;
    log: (line: string) => void;
    onGone: () => void;
    keptCharacters?: number;
  }) {
    this.#id = options.id;
    this.#client = options.client;
    this.#overviews = options.overviews;
    this.#log = options.log;
    this.#onGone = options.onGone;
    this.#stored = new SessionLog(options.keptCharacters);
    this.started.promise.catch(() => undefined);
    this.#follow();
    this.#leaveOverviews = this.#overviews.subscribe((overview) => this.#look(overview));
  }

  get readers(): number {
    return this.#readers.size + this.#early.size;
  }

  join(stream: EventStream, after: number | undefined): void {
    if (this.#failure !== undefined) {
      stream.end();
      return;
    }
    stream.onClose(() => {
      this.#readers.delete(stream);
      this.#early.delete(stream);
    });
    if (stream.closed) return;
    if (!this.#following && this.#stored.offline !== undefined) this.#follow();
    if (this.#isKnown) {
      stream.open(this.#stored.snapshot(after));
      this.#readers.add(stream);
      return;
    }
    this.#early.set(stream, after);
    const { offline } = this.#stored;
    if (offline !== undefined) stream.send(offline);
  }

  /** What this run's events up to `lastEvent` say of an approval; waits until they are read. Undefined: never heard of. */
  async approval(id: string, lastEvent: number, signal: AbortSignal): Promise<KnownApproval | undefined> {
    this.#wake();
    while (!signal.aborted && !this.#stop.signal.aborted && !(this.#isKnown && this.#stored.last >= lastEvent)) {
      await new Promise<void>((resolve) => {
        this.#onProgress.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return this.#approvals.get(id);
  }

  /** Numbers `[from, to)` of the events of the newest run that were let go to bound memory; undefined: none. */
  get letGo(): { from: number; to: number } | undefined {
    const from = this.#stored.letGoFrom;
    return from === undefined ? undefined : { from, to: this.#stored.first! };
  }

  close(): void {
    this.#stop.abort();
    this.#leaveOverviews();
    for (const stream of [...this.#readers, ...this.#early.keys()]) stream.end();
    this.#progress();
  }

  /** The session's line tells when there is a reason to look, and when a closed session goes on. */
  #look(overview: Overview): void {
    const found = overview.sessions.find(({ id }) => id === this.#id);
    if (!found) return;
    const line = `${found.runId} ${found.state} ${found.waiting} ${found.closedAt ?? ""}`;
    if (line === this.#line) return;
    this.#line = line;
    if (this.#following) this.#wake();
    else if (found.closedAt === undefined || found.runId !== this.#runId) this.#follow();
  }

  #follow(): void {
    if (this.#failure !== undefined || this.#stop.signal.aborted) return;
    this.#following = true;
    const lineBefore = this.#line;
    void this.#run().finally(() => {
      this.#following = false;
      // A next run that was seen while this one was read to its end; a line that was known before says nothing new.
      const runId = this.#overviews.lineOf(this.#id)?.runId;
      if (this.#line !== lineBefore && runId !== undefined && runId !== this.#runId) this.#follow();
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const onWake = (wake: () => void) => {
      this.#wake = wake;
    };
    while (!signal.aborted) {
      const from = this.#stored.last === 0 ? { newestRun: true } : { after: this.#stored.last };
      try {
        for await (const item of this.#client.follow(this.#id, { ...from, onWake, signal })) this.#take(item);
        if (this.#stored.offline === undefined || this.readers === 0) return;
        await sleep(unreadAgainMs, undefined, { signal }).catch(() => undefined);
        continue;
      } catch (error) {
        if (signal.aborted) return;
        if (isNotFound(error)) return this.#fail(error);
        this.#log(`error: following ${this.#id} failed and is tried again: ${String(error)}`);
        this.#take({ kind: "offline", offline: true, why: firstLine(error) });
      }
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #take(item: FollowItem): void {
    // A follower that was begun anew does not know that the one before said so.
    const isAnswer = item.kind === "event" || item.kind === "state";
    if (isAnswer && this.#stored.offline !== undefined) this.#take({ kind: "offline", offline: false });
    this.#note(item);
    const text = this.#stored.take(item);
    if (text !== undefined) {
      for (const stream of [...this.#readers]) stream.send(text);
      if (item.kind === "offline") for (const stream of [...this.#early.keys()]) stream.send(text);
    }
    this.started.resolve();
    // Closed with nobody to read it through: what there is, is not known yet.
    const isTold = item.kind === "state" || (item.kind === "closed" && this.#stored.offline === undefined);
    if (!this.#isKnown && isTold) this.#letIn();
    this.#progress();
  }

  #progress(): void {
    for (const tell of [...this.#onProgress]) {
      this.#onProgress.delete(tell);
      tell();
    }
  }

  #letIn(): void {
    this.#isKnown = true;
    for (const [stream, after] of this.#early) {
      stream.open(this.#stored.snapshot(after));
      this.#readers.add(stream);
    }
    this.#early.clear();
  }

  #note(item: FollowItem): void {
    if (item.kind === "state") this.#runId = item.state.runId;
    if (item.kind !== "event") return;
    const { event } = item;
    if (event.type === "approval_requested") this.#approvals.set(event.approval.id, "waits");
    if (event.type === "approval_resolved") {
      this.#approvals.set(event.approvalId, { decision: event.decision, by: event.by });
    }
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.started.reject(error);
    this.close();
    this.#onGone();
  }
}
