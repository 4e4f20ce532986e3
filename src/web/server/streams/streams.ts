import type { ServerResponse } from "node:http";
import type { SessionClient } from "../../../client/contract.ts";
import type { Caller } from "../guard.ts";
import { HttpError } from "../http-error.ts";
import { EventStream, sentEvent } from "./event-stream.ts";
import { OverviewHub } from "./overview-hub.ts";
import { SessionHub } from "./session-hub.ts";

const beatMs = 15_000;
const allowedEveryMs = 1_000;
const streamsAtMost = 100;
const streamsOfDevice = 20;
/** A session's follower outlives its last reader by this: a page that is loaded anew finds it at work. */
const lingerMs = 30_000;
/** The answer begins at the latest then: a session whose worker is away is said to be so on the stream. */
const startPatienceMs = 1_000;

export interface StreamsOptions {
  client: SessionClient;
  log(line: string): void;
  /** Whether a caller may still read. */
  isAllowed(callerId: string): boolean;
  beatMs?: number;
  lingerMs?: number;
  keptCharacters?: number;
}

/** All open event streams of the server, and what feeds them. */
export class Streams {
  readonly overviews: OverviewHub;
  readonly #options: StreamsOptions;
  readonly #sessions = new Map<string, { hub: SessionHub; goes?: NodeJS.Timeout }>();
  readonly #open = new Map<EventStream, string>();
  readonly #timers: NodeJS.Timeout[];
  #pending = 0;
  #closed = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.overviews = new OverviewHub(options.client, options.log, options);
    this.#timers = [
      setInterval(() => this.#beat(), options.beatMs ?? beatMs).unref(),
      setInterval(() => this.endForbidden(), allowedEveryMs).unref(),
    ];
  }

  /** 429 where there are too many already. */
  openOverview(caller: Caller, response: ServerResponse): void {
    this.#checkRoom(caller);
    const stream = this.#add(caller, response);
    const leave = this.overviews.subscribe((overview, number) => stream.send(sentEvent("overview", overview, number)));
    stream.onClose(leave);
  }

  /** Rejects with 404 where there is no such session. */
  async openSession(
    caller: Caller,
    response: ServerResponse,
    sessionId: string,
    after: number | undefined,
  ): Promise<void> {
    this.#checkRoom(caller);
    const hub = this.session(sessionId);
    this.#pending++;
    try {
      const patience = new Promise<void>((resolve) => setTimeout(resolve, startPatienceMs).unref());
      await Promise.race([hub.started.promise, patience]);
    } finally {
      this.#pending--;
    }
    this.#checkRoom(caller);
    const stream = this.#add(caller, response);
    hub.join(stream, after);
    this.#keep(sessionId, hub);
    stream.onClose(() => this.#keep(sessionId, hub));
  }

  /** The session's follower, begun where there is none; it goes when nobody read for a while. */
  session(id: string): SessionHub {
    const found = this.#sessions.get(id);
    if (found) return found.hub;
    const hub = new SessionHub({
      ...this.#options,
      id,
      overviews: this.overviews,
      onGone: () => this.#sessions.delete(id),
    });
    this.#sessions.set(id, { hub });
    this.#keep(id, hub);
    return hub;
  }

  known(id: string): SessionHub | undefined {
    return this.#sessions.get(id)?.hub;
  }

  /** Ends the streams of devices that were revoked. */
  endForbidden(): void {
    const known = new Map<string, boolean>();
    for (const [stream, id] of [...this.#open]) {
      if (!known.has(id)) known.set(id, this.#options.isAllowed(id));
      if (!known.get(id)) stream.drop();
    }
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { hub, goes } of this.#sessions.values()) {
      clearTimeout(goes);
      hub.close();
    }
    this.#sessions.clear();
    this.overviews.close();
    for (const stream of [...this.#open.keys()]) stream.end();
  }

  #checkRoom({ id }: Caller): void {
    const own = [...this.#open.values()].filter((one) => one === id).length;
    if (this.#open.size + this.#pending < streamsAtMost && own < streamsOfDevice) return;
    throw new HttpError(429, "too many open streams", {
      next: "close tabs of this page",
      headers: { "Retry-After": "5" },
    });
  }

  #add({ id }: Caller, response: ServerResponse): EventStream {
    const stream = new EventStream(response);
    this.#open.set(stream, id);
    stream.onClose(() => this.#open.delete(stream));
    return stream;
  }

  #keep(id: string, hub: SessionHub): void {
    const entry = this.#sessions.get(id);
    if (this.#closed || entry?.hub !== hub) return;
    clearTimeout(entry.goes);
    if (hub.readers > 0) return;
    entry.goes = setTimeout(() => {
      if (hub.readers > 0) return;
      this.#sessions.delete(id);
      hub.close();
    }, this.#options.lingerMs ?? lingerMs).unref();
  }

  #beat(): void {
    for (const stream of [...this.#open.keys()]) stream.beat();
  }
}
