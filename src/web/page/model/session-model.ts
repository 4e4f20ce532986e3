import type { Approval } from "../../../agent/approval.ts";
import type { SessionEvent, SessionStateName } from "../../../agent/events.ts";
import { addUsage, type StoredMessage, type ToolCall, type Usage } from "../../../agent/messages.ts";
import type { EventItem, FollowItem } from "../../../client/contract.ts";
import { LiveText, turnOfSource } from "../../../protocol/live-text.ts";
import type { SessionState } from "../../../protocol/session.ts";
import { rowsOfMessages } from "./history-rows.ts";
import type { AnswerRow, Row } from "./rows.ts";
import { liveAnswerKey, Transcript } from "./transcript.ts";

const changesState: ReadonlySet<SessionEvent["type"]> = new Set([
  "state_changed",
  "approval_requested",
  "approval_resolved",
  "agent_start",
  "agent_end",
]);

/** All that is known of a session that is followed: from the items of its stream, in any number at a time. */
export class SessionModel {
  transcript = new Transcript();
  state: SessionState | undefined;
  /** Number of the last event taken; a stream that is opened anew goes on after it. */
  lastSeq = 0;
  /** Number of the first event of the stream. */
  first: number | undefined;
  retrying: (FollowItem & { kind: "retrying" }) | undefined;
  /** Why nobody answers. */
  offline: string | undefined;
  closed: { state: SessionStateName; cause?: string } | undefined;
  restarts = 0;
  resync: string | undefined;
  /** The transcript as the history tells it, while no event came. */
  #history: Row[] | undefined;
  #items: EventItem[] = [];
  #live = new LiveText();
  #current: SessionStateName | undefined;
  /** Number of the last event that changes what a state read answers. */
  #changeSeq = 0;
  #usageSince: Usage | undefined;

  take(item: FollowItem): void {
    switch (item.kind) {
      case "begin":
        this.first = item.first;
        return;
      case "event":
        this.#takeEvent(item);
        return;
      case "live":
        if (item.frame.blocks.length > 0) this.retrying = undefined;
        this.#live.take(item.frame);
        this.#showOutput(item.frame.source);
        return;
      case "state":
        this.#takeState(item.state);
        return;
      case "retrying":
        this.retrying = item;
        return;
      case "offline":
        this.offline = item.offline ? (item.why ?? "nobody answers") : undefined;
        return;
      case "resync":
        this.#forget(item.why);
        return;
      case "workerRestarted":
        this.restarts++;
        return;
      case "closed":
        this.closed = { state: item.state, ...(item.cause === undefined ? {} : { cause: item.cause }) };
        return;
    }
  }

  /** Events of the run before what is known, oldest first. */
  takeEarlier(items: EventItem[]): void {
    const known = this.#items[0]?.event.seq ?? Number.POSITIVE_INFINITY;
    const earlier = items.filter(({ event }) => event.seq < known);
    if (earlier.length === 0) return;
    this.first = earlier[0]!.event.seq;
    this.#items = [...earlier, ...this.#items];
    const transcript = new Transcript();
    for (const item of this.#items) transcript.take(item);
    this.transcript = transcript;
    for (const source of this.#live.names()) this.#showOutput(source);
  }

  takeHistory(messages: readonly StoredMessage[]): void {
    this.#history = rowsOfMessages(messages);
  }

  /** Whether the rows are what the history tells, because no event came yet, or not all that happened before. */
  get fromHistory(): boolean {
    return this.#history !== undefined && (this.#items.length === 0 || !this.isOpen);
  }

  get hasEvents(): boolean {
    return this.#items.length > 0;
  }

  /** Whether all that happened before is told: the state comes after it. */
  get isOpen(): boolean {
    return this.state !== undefined || this.closed !== undefined || this.offline !== undefined;
  }

  /** Whether the rows are there too: while nobody answers, they come from the history a moment later. */
  get isFilled(): boolean {
    return this.fromHistory || (this.isOpen && (this.state !== undefined || this.hasEvents));
  }

  get rows(): readonly Row[] {
    return this.fromHistory ? this.#history! : this.transcript.rows;
  }

  /** The answer that streams now. */
  get liveAnswer(): AnswerRow | undefined {
    for (const source of this.#live.names().toReversed()) {
      const turn = turnOfSource(source);
      if (turn === undefined || turn < this.transcript.turn || this.transcript.answered.has(turn)) continue;
      const live = this.#live.blocks(source);
      if (live.length > 0) return { kind: "answer", key: liveAnswerKey(turn), turn, live };
    }
    return undefined;
  }

  get current(): SessionStateName | undefined {
    return this.closed?.state ?? this.#current;
  }

  /** Approvals that wait, from the newer of state and events. */
  get pending(): Approval[] {
    if (this.closed !== undefined) return [];
    if (this.state !== undefined && this.state.lastEvent >= this.#changeSeq) return this.state.pending;
    return this.transcript.pending;
  }

  /** Approvals that wait and have no row, because the events that told them are gone. */
  get pendingWithoutRow(): Approval[] {
    return this.pending.filter(({ toolCallId }) => this.transcript.call(toolCallId) === undefined);
  }

  get usage(): Usage | undefined {
    if (this.state === undefined) return undefined;
    return this.#usageSince ? addUsage(this.state.usage, this.#usageSince) : this.state.usage;
  }

  argumentsOf(toolCallId: string): ToolCall | undefined {
    return this.transcript.argumentsOf(toolCallId);
  }

  #takeEvent(item: EventItem): void {
    const { event } = item;
    if (event.seq <= this.lastSeq) return;
    this.lastSeq = event.seq;
    // After a resync nothing else tells where the stream begins.
    this.first ??= event.seq;
    this.#items.push(item);
    this.transcript.take(item);
    this.retrying = undefined;
    this.closed = undefined;
    if (changesState.has(event.type)) this.#changeSeq = event.seq;
    if (event.seq > (this.state?.lastEvent ?? 0)) this.#takeNews(event);
    if (event.type === "tool_execution_start") this.#showOutput(event.toolCallId);
    if (event.type === "message_end" && event.role === "toolResult") this.#live.drop(event.toolCallId ?? "");
    if (event.type === "message_end" && event.role === "assistant") this.#live.drop(`model:${this.transcript.turn}`);
    if (event.type === "agent_end") for (const name of this.#live.names()) this.#live.drop(name);
  }

  /** What the last state read did not know yet. */
  #takeNews(event: SessionEvent): void {
    if (event.type === "agent_start") this.#current = "running";
    if (event.type === "state_changed") this.#current = event.state;
    if ((event.type === "turn_end" || event.type === "compaction_end") && event.usage) {
      this.#usageSince = this.#usageSince ? addUsage(this.#usageSince, event.usage) : event.usage;
    }
  }

  #takeState(state: SessionState): void {
    if (state.lastEvent < (this.state?.lastEvent ?? 0)) return;
    this.state = state;
    this.closed = undefined;
    if (state.lastEvent >= this.#changeSeq) this.#current = state.state;
    this.#usageSince = undefined;
  }

  #showOutput(source: string): void {
    if (turnOfSource(source) !== undefined) return;
    const output = this.#live.blocks(source).find(({ kind }) => kind === "output")?.text;
    if (output !== undefined) this.transcript.showOutput(source, output);
  }

  /** Numbers may start again lower (a reset session): nothing that was known may hold back what follows. */
  #forget(why: string): void {
    this.resync = why;
    this.transcript = new Transcript();
    this.#items = [];
    this.#live = new LiveText();
    this.state = undefined;
    this.lastSeq = 0;
    this.first = undefined;
    this.#changeSeq = 0;
    this.#usageSince = undefined;
    this.retrying = undefined;
    this.closed = undefined;
  }
}
