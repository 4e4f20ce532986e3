import { defineSearchAttributeKey } from "@temporalio/common";
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import { contextAfter } from "../src/agent/compaction.ts";
import type {
  AgentEndReason,
  AgentEvent,
  SessionEvent,
  SessionOnlyEvent,
  SessionStateName,
} from "../src/agent/events.ts";
import { addUsage, noUsage, type StoredMessage, type Usage } from "../src/agent/messages.ts";
import type { SummaryReference, TranscriptReference } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import type {
  EventsPage,
  SessionInput,
  SessionMemo,
  TranscriptPage,
  TranscriptSegment,
} from "../src/protocol/session.ts";
import { live } from "./live-sink.ts";

const stateKey = defineSearchAttributeKey("TempiState", "KEYWORD");
const waitingKey = defineSearchAttributeKey("TempiWaiting", "INT");

/** A message of this run, or the name of one whose body an earlier run's history holds (a prompt that was queued there). */
export type TranscriptEntry = StoredMessage | { id: string; runId: string };

/** What a session remembers of itself: messages of this run, events, state. Plain bookkeeping, no waiting. */
export class SessionRecord {
  readonly sessionId: string;
  readonly segments: TranscriptSegment[];
  readonly entries: TranscriptEntry[] = [];
  readonly #previousRunId: string | undefined;
  readonly #firstEvent: number;
  readonly #events: SessionEvent[] = [];
  readonly #base: number;
  #named = 0;
  usage: Usage;
  contextTokens: number;
  summary: SummaryReference | undefined;
  /** Context at which the last compaction failed. */
  compactionFailedAt: number | undefined;
  state: SessionStateName = "running";
  cause: string | undefined;
  next: string | undefined;
  lastEndReason: AgentEndReason | undefined;
  readonly running = new Map<string, { toolCallId: string; toolName: string; summary: string; startedAt: number }>();
  deniedCalls = 0;
  /** US dollars that may be spent by now; undefined while it is what the settings say. */
  budget: number | undefined;
  /** The user's configuration names somebody who is told of an end. */
  notifies = false;
  #published = "";
  #toldUsage = "";
  #hinted = false;
  readonly #noticed = new Set<string>();

  constructor(input: SessionInput) {
    const carried = input.previous?.carried;
    this.sessionId = input.sessionId;
    this.segments = carried?.segments ?? [];
    this.#previousRunId = input.previous?.runId;
    this.#firstEvent = (carried?.lastEvent ?? 0) + 1;
    this.#base = this.segments.reduce((sum, segment) => sum + segment.to - segment.from, 0);
    this.usage = carried?.usage ?? noUsage();
    this.contextTokens = carried?.contextTokens ?? 0;
    this.summary = carried?.summary;
    this.deniedCalls = carried?.deniedCalls ?? 0;
    this.budget = carried?.budget;
  }

  get runId(): string {
    return workflowInfo().runId;
  }

  get lastEvent(): number {
    return this.#firstEvent + this.#events.length - 1;
  }

  /** Messages of the whole session. */
  get messageCount(): number {
    return this.#base + this.entries.length;
  }

  emit(event: AgentEvent | SessionOnlyEvent): void {
    const seq = this.lastEvent + 1;
    this.#events.push({ ...event, seq, at: Date.now() });
    if (event.type === "tool_execution_start") {
      const { toolCallId, toolName, summary } = event;
      this.running.set(toolCallId, { toolCallId, toolName, summary, startedAt: Date.now() });
    } else if (event.type === "tool_execution_end") {
      this.running.delete(event.toolCallId);
    } else if (event.type === "agent_end") {
      this.running.clear();
      this.lastEndReason = event.reason;
    }
    this.#hint();
  }

  /** One hint for all events of a moment: a microtask later, still in the same workflow task. */
  #hint(): void {
    if (this.#hinted) return;
    this.#hinted = true;
    void Promise.resolve().then(() => {
      this.#hinted = false;
      live.changed(this.sessionId, this.lastEvent);
    });
  }

  append(entry: TranscriptEntry): number {
    this.entries.push(entry);
    if ("message" in entry) this.contextTokens = contextAfter(this.contextTokens, entry.message);
    if ("message" in entry && entry.message.role !== "user" && entry.message.usage) {
      this.usage = addUsage(this.usage, entry.message.usage);
    }
    return this.messageCount - 1;
  }

  /** What was added since the last `nameNewMessages`, without counting it as named: the next request names it again. */
  newMessages(): TranscriptReference {
    const from = this.#named;
    return { segments: this.segments, runId: this.runId, from, ids: this.entries.slice(from).map(({ id }) => id) };
  }

  /** The same, and counts it as named: requests to the model name each id once per run. */
  nameNewMessages(): TranscriptReference {
    const reference = this.newMessages();
    this.#named = this.entries.length;
    return reference;
  }

  /** For what is found again in every turn. */
  noticeOnce(text: string): void {
    if (this.#noticed.has(text)) return;
    this.#noticed.add(text);
    this.emit({ type: "notice", text });
  }

  setState(state: SessionStateName, cause?: string, next?: string): void {
    const changed = state !== this.state || cause !== this.cause || this.lastEvent < this.#firstEvent;
    this.state = state;
    this.cause = cause;
    this.next = next;
    if (changed) this.emit({ type: "state_changed", state, ...(cause ? { cause } : {}), ...(next ? { next } : {}) });
  }

  /** Shows state and what waits in lists and in the Temporal UI. Costs an event only when something changed. */
  publish(pending: { id: string; toolName: string; summary: string }[]): void {
    const now = `${this.state}/${pending.length}`;
    if (now !== this.#published) {
      this.#published = now;
      upsertSearchAttributes([
        { key: stateKey, value: this.state },
        { key: waitingKey, value: pending.length },
      ]);
    }
    this.#describeUsage();
    const lines = [`**${this.state}**${this.cause ? `: ${this.cause}` : ""}`];
    if (this.next) lines.push(`Next: \`${this.next}\``);
    for (const approval of pending) {
      lines.push(
        `- waits for a decision: ${approval.toolName} \`${approval.summary.replaceAll("`", "'")}\` (\`tempi approve ${this.sessionId}\`)`,
      );
    }
    setCurrentDetails(lines.join("\n"));
  }

  /** What the query `state` answers of this record. */
  snapshot() {
    return {
      sessionId: this.sessionId,
      runId: this.runId,
      state: this.state,
      ...(this.cause ? { cause: this.cause } : {}),
      ...(this.next ? { next: this.next } : {}),
      ...(this.lastEndReason ? { lastEndReason: this.lastEndReason } : {}),
      running: [...this.running.values()],
      usage: this.usage,
      contextTokens: this.contextTokens,
      messageCount: this.messageCount,
      lastEvent: this.lastEvent,
      deniedCalls: this.deniedCalls,
    };
  }

  /** Totals for lists: told when the session comes to rest, since each telling costs an event. */
  #describeUsage(): void {
    const told = JSON.stringify(this.usage);
    if (told === this.#toldUsage || this.state === "running") return;
    this.#toldUsage = told;
    this.describe({ usage: this.usage });
  }

  /** What lists of sessions show. */
  describe(shown: Partial<Pick<SessionMemo, "title" | "model" | "usage">>): void {
    upsertMemo(shown);
  }

  eventsAfter(after: number): EventsPage {
    const from = Math.max(0, after - this.#firstEvent + 1);
    const events: SessionEvent[] = [];
    const messages: TranscriptEntry[] = [];
    let size = 0;
    for (const event of this.#events.slice(from)) {
      const entry = event.type === "message_end" ? this.entries[event.index - this.#base] : undefined;
      size += JSON.stringify([event, entry ?? null]).length * 2;
      if (events.length > 0 && size > limits.queryPageBytes) break;
      events.push(event);
      if (entry) messages.push(entry);
    }
    return {
      first: this.#firstEvent,
      last: this.lastEvent,
      ...(this.#previousRunId ? { previousRunId: this.#previousRunId } : {}),
      events,
      messages,
    };
  }

  transcriptFrom(from: number): TranscriptPage {
    const entries: TranscriptEntry[] = [];
    let size = 0;
    for (const entry of this.entries.slice(from)) {
      size += JSON.stringify(entry).length * 2;
      if (entries.length > 0 && size > limits.queryPageBytes) break;
      entries.push(entry);
    }
    return { runId: this.runId, segments: this.segments, entries, count: this.entries.length };
  }
}
