import type { Approval } from "../../agent/approval.ts";
import { type AgentEndReason, isLimit, type SessionEvent, type SessionStateName } from "../../agent/events.ts";
import { addUsage, noUsage, type StoredMessage, textOf, type Usage } from "../../agent/messages.ts";
import type { FollowItem } from "../../client/contract.ts";
import type { SessionState } from "../../protocol/session.ts";
import { exitCodes } from "../exit-codes.ts";

const restStates: ReadonlySet<SessionStateName> = new Set(["blocked", "idle", "stopped", "failed", "ended"]);

/** What must have been seen before a rest counts: an event above a number, or else the message with an id. */
export interface WorkSince {
  event?: number;
  messageId?: string;
}

function showsWork(event: SessionEvent): boolean {
  if (event.type === "message_end") return event.role === "user";
  return !["configured", "notice", "decision_refused"].includes(event.type);
}

const changesState = (event: SessionEvent): boolean =>
  ["state_changed", "agent_end", "approval_requested", "approval_resolved"].includes(event.type);

/** What is known of a followed session, from events and state reads alike: whichever is newer counts. */
export class SessionTracker {
  state: SessionState | undefined;
  current: SessionStateName = "running";
  cause: string | undefined;
  next: string | undefined;
  endReason: AgentEndReason | undefined;
  lastSeq: number;
  restarts = 0;
  closed = false;
  messages: StoredMessage[] = [];
  pending: Approval[] = [];
  usage: Usage = noUsage();
  turns = 0;
  denied = 0;
  private resynced = false;
  private stateSeq = 0;
  /** Number of the last event that shows work: the state before it may be an older one. */
  private workSeq = 0;
  /** Number of the last event that changes what a state read answers. */
  private changeSeq = 0;
  private readonly seenMessages = new Set<string>();

  constructor(after: number) {
    this.lastSeq = after;
  }

  /** False for an event that was seen already. */
  take(item: FollowItem): boolean {
    switch (item.kind) {
      case "event":
        if (item.event.seq <= this.lastSeq) return false;
        this.lastSeq = item.event.seq;
        if (showsWork(item.event)) this.workSeq = item.event.seq;
        if (changesState(item.event)) this.changeSeq = item.event.seq;
        if (item.event.type === "message_end") this.takeMessage(item.event.messageId, item.message);
        // What the last state read told already must not be counted twice.
        if (item.event.seq > this.stateSeq) this.takeEvent(item.event);
        return true;
      case "state":
        if (item.state.lastEvent >= this.stateSeq) this.takeState(item.state);
        return true;
      case "resync":
        this.forget();
        return true;
      case "workerRestarted":
        this.restarts++;
        return true;
      case "closed":
        this.closed = true;
        this.current = item.state;
        this.cause = item.cause ?? this.cause;
        return true;
      default:
        return true;
    }
  }

  /** Whether nothing more will come by itself. What was just sent or started must have begun before that counts. */
  atRest(since: WorkSince): boolean {
    if (this.closed) return true;
    return restStates.has(this.current) && this.caughtUp && this.begunSince(since);
  }

  /**
   * Whether a state read confirms what the events say. While old events are told again they are the past: without the
   * read, a session that waited once would be taken for one that waits now.
   */
  get confirmed(): boolean {
    return this.closed || (this.state !== undefined && this.stateSeq >= this.changeSeq);
  }

  /** Whether it waits for a person and everything up to that was seen. */
  get waits(): boolean {
    return this.current === "waiting" && this.pending.length > 0 && this.caughtUp;
  }

  /** Whether all events were seen that the last state read knew; after a gap there may be none. */
  private get caughtUp(): boolean {
    return this.lastSeq >= this.stateSeq || (this.resynced && this.lastSeq === 0);
  }

  private begunSince(since: WorkSince): boolean {
    // After a gap the numbers of before mean nothing: the state that follows counts.
    if (this.resynced) return true;
    if (since.event !== undefined) return this.workSeq > since.event;
    if (since.messageId === undefined || this.seenMessages.has(since.messageId)) return true;
    // What was sent to a blocked session waits in its queue until a person mends it.
    return this.state?.state === "blocked";
  }

  /** Text of the last answer seen. */
  get answer(): string {
    for (const { message } of this.messages.toReversed()) {
      if (message.role === "assistant" && textOf(message.content).trim() !== "") return textOf(message.content);
      if (message.role === "user") break;
    }
    return "";
  }

  /** Numbers may start again lower (a reset session), so nothing that was counted may hold back what follows. */
  private forget(): void {
    this.resynced = true;
    this.state = undefined;
    this.lastSeq = 0;
    this.stateSeq = 0;
    this.workSeq = 0;
    this.changeSeq = 0;
  }

  private takeMessage(id: string, message: StoredMessage["message"] | undefined): void {
    if (message !== undefined && !this.seenMessages.has(id)) this.messages.push({ id, message });
    this.seenMessages.add(id);
  }

  private takeState(state: SessionState): void {
    this.state = state;
    this.stateSeq = state.lastEvent;
    this.current = state.state;
    this.cause = state.cause;
    this.next = state.next;
    this.endReason = state.lastEndReason ?? this.endReason;
    this.pending = state.pending;
    this.usage = state.usage;
    this.turns = state.turn;
    this.denied = state.deniedCalls;
  }

  private takeEvent(event: SessionEvent): void {
    switch (event.type) {
      case "agent_start":
        this.current = "running";
        this.cause = undefined;
        this.next = undefined;
        return;
      case "message_end":
        // A prompt was taken: whatever it rested in is over.
        if (event.role === "user") this.current = "running";
        return;
      case "agent_end":
        this.endReason = event.reason;
        this.cause = event.errorMessage ?? this.cause;
        return;
      case "state_changed":
        this.current = event.state;
        this.cause = event.cause;
        this.next = event.next;
        return;
      case "turn_start":
        this.turns = event.turn;
        return;
      case "turn_end":
      case "compaction_end":
        if (event.usage) this.usage = addUsage(this.usage, event.usage);
        return;
      case "approval_requested":
        this.pending = [...this.pending, event.approval];
        return;
      case "approval_resolved":
        this.pending = this.pending.filter((approval) => approval.id !== event.approvalId);
        if (event.decision === "deny") this.denied++;
        return;
    }
  }
}

/** Exit code of a session at rest. `deniedUnasked` = calls denied here because nobody could answer. */
export function exitCodeOf(tracker: SessionTracker, deniedUnasked: number): number {
  switch (tracker.current) {
    case "blocked":
    case "failed":
      return exitCodes.failed;
    case "waiting":
      return exitCodes.needsPerson;
    case "stopped":
      return isLimit(tracker.endReason) ? exitCodes.limit : exitCodes.stopped;
    case "ended":
      return exitCodes.stopped;
    default:
      return deniedUnasked > 0 ? exitCodes.needsPerson : exitCodes.answered;
  }
}
