import { signal } from "@preact/signals";
import type { StoredMessage } from "../../../agent/messages.ts";
import type { EventItem } from "../../../client/contract.ts";
import type { Delivery } from "../../../protocol/session.ts";
import type { SendRequest, SessionView, StreamItem } from "../../api.ts";
import { SessionModel } from "../model/session-model.ts";
import { failureText, isPassing, read } from "./api.ts";
import { FrameBatch } from "./frames.ts";
import { ResumingStream } from "./stream.ts";

const kinds = ["begin", "event", "live", "state", "retrying", "offline", "resync", "workerRestarted", "closed"];
/** The account is read from the whole history: not at every turn. */
const accountPauseMs = 10_000;
/** A worker that has to read a long session anew needs seconds: by then the history has told it. */
const historyAfterMs = 700;
/** A hidden tab gives its connection back: a browser has only six for one server. */
const hiddenPatienceMs = 10_000;

/** One session that is looked at: its stream, its account, and what this page sent to it. */
export class SessionStore {
  readonly id: string;
  readonly model = new SessionModel();
  /** Counts the changes of `model`; whoever draws from it reads this. */
  readonly version = signal(0);
  /** Counts what came after the session was opened; what it held by then is no news. */
  readonly news = signal(0);
  readonly account = signal<SessionView | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  /** What was sent from here and the session has not taken yet, by id. */
  readonly sent = signal<ReadonlyMap<string, { text: string; delivery: Delivery }>>(new Map());
  readonly loadingEarlier = signal(false);
  /** The server has none before what is known. */
  readonly noEarlier = signal(false);
  #stream: ResumingStream | undefined;
  #batch = new FrameBatch<StreamItem>((items) => this.#take(items));
  #accountAt = 0;
  #accountsAsked = 0;
  #accountTimer: ReturnType<typeof setTimeout> | undefined;
  #historyTimer: ReturnType<typeof setTimeout> | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  #loadingHistory = false;

  constructor(id: string) {
    this.id = id;
  }

  /** The model, for drawing: whoever asks is drawn anew at each change. */
  get watched(): SessionModel {
    this.version.value;
    return this.model;
  }

  open(): void {
    this.#connect();
    void this.refreshAccount();
    this.#historyTimer = setTimeout(() => {
      if (!this.model.isOpen && !this.model.hasEvents) void this.#loadHistory();
    }, historyAfterMs);
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    clearTimeout(this.#accountTimer);
    clearTimeout(this.#historyTimer);
    clearTimeout(this.#hiddenTimer);
    this.#disconnect();
  }

  /** Looks again after something was sent to a session that had closed. */
  reconnect(): void {
    if (this.#stream === undefined) this.#connect();
  }

  async refreshAccount(): Promise<void> {
    this.#accountAt = Date.now();
    clearTimeout(this.#accountTimer);
    this.#accountTimer = undefined;
    const asked = ++this.#accountsAsked;
    // A slower answer to an earlier question tells what was, not what is.
    const isNewest = () => asked === this.#accountsAsked;
    try {
      const account = await read<SessionView>(`/api/sessions/${this.id}`);
      if (!isNewest()) return;
      this.account.value = account;
      this.problem.value = undefined;
    } catch (error) {
      if (!isNewest()) return;
      this.problem.value = failureText(error);
      // A server that is away comes back, and then the problem is none any more.
      if (isPassing(error) && this.#stream !== undefined) this.#accountSoon();
    }
  }

  async loadEarlier(): Promise<void> {
    const { first } = this.model;
    if (first === undefined || first <= 1 || this.loadingEarlier.value) return;
    this.loadingEarlier.value = true;
    try {
      const items = await read<EventItem[]>(`/api/sessions/${this.id}/events?before=${first}`);
      this.model.takeEarlier(items);
      this.noEarlier.value = items.length === 0;
      this.version.value++;
    } catch (error) {
      this.problem.value = failureText(error);
    } finally {
      this.loadingEarlier.value = false;
    }
  }

  noteSent({ id, text, delivery }: SendRequest): void {
    // It may have been taken before the server's answer came back.
    if (this.model.transcript.hasPrompt(id)) return;
    this.sent.value = new Map(this.sent.value).set(id, { text, delivery });
  }

  #connect(): void {
    this.#stream = new ResumingStream({
      address: () => `/api/sessions/${this.id}/stream${this.model.lastSeq > 0 ? `?after=${this.model.lastSeq}` : ""}`,
      kinds,
      onItem: (item) => this.#batch.add(item as StreamItem),
    });
  }

  #disconnect(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #take(items: StreamItem[]): void {
    const before = this.model.current;
    const wasOpen = this.model.isOpen;
    let turned = false;
    for (const item of items) {
      this.model.take(item);
      if (item.kind === "event") turned ||= item.event.type === "turn_end";
      if (item.kind === "closed") this.#disconnect();
      if (item.kind === "resync") this.noEarlier.value = false;
    }
    if (this.model.offline !== undefined && !this.model.hasEvents) void this.#loadHistory();
    this.#forgetTaken();
    if (wasOpen && items.some(({ kind }) => kind === "event" || kind === "live")) this.news.value++;
    this.version.value++;
    if (this.model.current !== before) void this.refreshAccount();
    else if (turned) this.#accountSoon();
  }

  #accountSoon(): void {
    const pause = this.#accountAt + accountPauseMs - Date.now();
    this.#accountTimer ??= setTimeout(() => void this.refreshAccount(), Math.max(0, pause));
  }

  #forgetTaken(): void {
    const left = [...this.sent.value].filter(([id]) => !this.model.transcript.hasPrompt(id));
    if (left.length < this.sent.value.size) this.sent.value = new Map(left);
  }

  async #loadHistory(): Promise<void> {
    if (this.#loadingHistory || this.model.fromHistory) return;
    this.#loadingHistory = true;
    try {
      this.model.takeHistory(await read<StoredMessage[]>(`/api/sessions/${this.id}/messages`));
      this.version.value++;
    } catch (error) {
      this.problem.value = failureText(error);
    } finally {
      this.#loadingHistory = false;
    }
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hiddenTimer);
    if (!document.hidden) {
      if (this.model.closed === undefined) this.reconnect();
    } else this.#hiddenTimer = setTimeout(() => this.#disconnect(), hiddenPatienceMs);
  };
}
