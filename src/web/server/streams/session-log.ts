import { LiveText, turnOfSource } from "../../../protocol/live-text.ts";
import type { StreamItem } from "../../api.ts";
import { sentEvent } from "./event-stream.ts";

/** UTF-16 units; about as many bytes for most text. */
const keptCharacters = 64 * 1024 * 1024;

interface StoredEvent {
  seq: number;
  text: string;
}

/** What one late reader is told of a session: everything that is durable, and of the passing things what holds now. */
export class SessionLog {
  #events: StoredEvent[] = [];
  #size = 0;
  #first: number | undefined;
  #runFirst: number | undefined;
  #state: string | undefined;
  #retrying: string | undefined;
  #retryAttempt = 0;
  #offline: string | undefined;
  #closed: string | undefined;
  #resetAt = Number.POSITIVE_INFINITY;
  readonly #live = new LiveText();
  /** Newest frame's number and session per source; the live text itself has no such thing. */
  readonly #frames = new Map<string, { sessionId: string; seq: number }>();
  /** Sources whose durable record came: frames that come later are left-overs. */
  readonly #finished = new Set<string>();
  #turn = 0;
  readonly #most: number;

  constructor(most = keptCharacters) {
    this.#most = most;
  }

  get last(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  /** Number of the first event of the run that can be told; lower events of this run were let go. */
  get letGoFrom(): number | undefined {
    return this.#first !== undefined && this.#runFirst !== undefined && this.#runFirst < this.#first
      ? this.#runFirst
      : undefined;
  }

  /** What is told while no worker answers. */
  get offline(): string | undefined {
    return this.#offline;
  }

  get first(): number | undefined {
    return this.#first;
  }

  /** Stores an item; the text that all readers get, or undefined where it tells nothing new. */
  take(item: StreamItem): string | undefined {
    if (item.kind === "event") return this.#takeEvent(item);
    const text = sentEvent(item.kind, item);
    switch (item.kind) {
      case "begin":
        this.#first = this.#runFirst = item.first;
        return text;
      case "live":
        return this.#takeFrame(item) ? text : undefined;
      case "state":
        this.#state = text;
        if (item.state.state !== "running") this.#retrying = undefined;
        return text;
      case "retrying":
        this.#retrying = text;
        this.#retryAttempt = item.attempt;
        return text;
      case "offline":
        if (item.offline ? text === this.#offline : this.#offline === undefined) return undefined;
        this.#offline = item.offline ? text : undefined;
        return text;
      case "resync":
        this.#reset();
        return text;
      case "workerRestarted":
        return text;
      case "closed":
        if (text === this.#closed) return undefined;
        this.#closed = text;
        this.#retrying = undefined;
        for (const source of this.#live.names()) this.#drop(source);
        return text;
    }
  }

  /** What a reader gets that has seen the events up to `after`, or nothing (undefined). */
  snapshot(after?: number): string[] {
    const why = after === undefined ? undefined : this.#whyNotAfter(after);
    const all = after === undefined || why !== undefined;
    const texts = why === undefined ? [] : [sentEvent("resync", { kind: "resync", why })];
    if (all && this.#first !== undefined) texts.push(sentEvent("begin", { kind: "begin", first: this.#first }));
    for (const { seq, text } of this.#events) if (all || seq > after!) texts.push(text);
    for (const text of [this.#state, this.#retrying, this.#offline]) if (text !== undefined) texts.push(text);
    for (const source of this.#live.names()) {
      const whole = this.#live.whole(source);
      if (!whole || whole.blocks.length === 0) continue;
      texts.push(sentEvent("live", { kind: "live", frame: { type: "frame", ...this.#frames.get(source), ...whole } }));
    }
    if (this.#closed !== undefined) texts.push(this.#closed);
    return texts;
  }

  #whyNotAfter(after: number): string | undefined {
    if (after > this.last && (this.last > 0 || this.#state !== undefined)) {
      return "the session holds fewer events than were seen";
    }
    if (after >= this.#resetAt) return "the session was reset to an earlier point";
    if (this.#first !== undefined && after + 1 < this.#first) return "too much happened since";
    return undefined;
  }

  #takeEvent(item: Extract<StreamItem, { kind: "event" }>): string | undefined {
    const { event } = item;
    if (event.seq <= this.last) return undefined;
    const text = sentEvent("event", item, event.seq);
    if (this.#first === undefined) this.#first = this.#runFirst = event.seq;
    this.#closed = undefined;
    this.#events.push({ seq: event.seq, text });
    this.#size += text.length;
    this.#letGo();
    switch (event.type) {
      case "turn_start":
        this.#turn = event.turn;
        this.#finished.clear();
        break;
      case "message_end":
        this.#retrying = undefined;
        if (event.role === "assistant") this.#finishModel();
        if (event.toolCallId !== undefined) this.#finish(event.toolCallId);
        break;
      case "tool_execution_end":
        this.#retrying = undefined;
        this.#finish(event.toolCallId);
        break;
      case "agent_end":
        this.#retrying = undefined;
        for (const source of this.#live.names()) this.#drop(source);
        break;
    }
    return text;
  }

  #takeFrame({ frame }: Extract<StreamItem, { kind: "live" }>): boolean {
    if (this.#finished.has(frame.source)) return false;
    if (frame.attempt > this.#retryAttempt) this.#retrying = undefined;
    this.#live.take(frame);
    this.#frames.set(frame.source, { sessionId: frame.sessionId, seq: frame.seq });
    if (frame.done) this.#drop(frame.source);
    return true;
  }

  #finishModel(): void {
    this.#finished.add(`model:${this.#turn}`);
    for (const source of this.#live.names()) if (turnOfSource(source) !== undefined) this.#drop(source);
  }

  #finish(source: string): void {
    this.#finished.add(source);
    this.#drop(source);
  }

  #drop(source: string): void {
    this.#live.drop(source);
    this.#frames.delete(source);
  }

  #letGo(): void {
    if (this.#size <= this.#most) return;
    let gone = 0;
    // Some more than needed, so that not each event moves the whole list.
    while (gone < this.#events.length - 1 && this.#size > this.#most * 0.9)
      this.#size -= this.#events[gone++]!.text.length;
    this.#events = this.#events.slice(gone);
    this.#first = this.#events[0]!.seq;
  }

  #reset(): void {
    this.#resetAt = Math.min(this.#resetAt, this.#first ?? 0);
    this.#events = [];
    this.#size = 0;
    this.#first = this.#runFirst = undefined;
    this.#closed = this.#retrying = undefined;
    for (const source of this.#live.names()) this.#drop(source);
  }
}
