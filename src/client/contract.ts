import type { Approval, ApprovalLevel, DecisionKind, DecisionVia, Remember } from "../agent/approval.ts";
import type { SessionEvent, SessionStateName } from "../agent/events.ts";
import type { ImageContent, StoredMessage, Usage } from "../agent/messages.ts";
import type { LiveFrame } from "../protocol/live.ts";
import type { ConfigureSignal, Delivery, SessionInput, SessionState } from "../protocol/session.ts";

/** One line of a list. Times are milliseconds since 1970. */
export interface SessionSummary {
  id: string;
  runId: string;
  state: SessionStateName;
  title: string;
  cwd: string;
  repository: string;
  model: string;
  /** Approvals that wait. */
  waiting: number;
  startedAt: number;
  closedAt?: number;
  /** Totals when it last came to rest; absent before that. */
  usage?: Usage;
}

/** An approval that waits, with its session. */
export interface WaitingApproval {
  sessionId: string;
  title: string;
  repository: string;
  approval: Approval;
}

/** All sessions as of now. */
export interface Overview {
  /** Newest run of each session, by group (needs you, working, done), then newest first. */
  sessions: SessionSummary[];
  /** Oldest first; of sessions whose worker does not answer the last that was known. */
  waiting: WaitingApproval[];
  /** Why the list may be out of date: the Temporal server does not answer. */
  offline?: string;
}

export interface FollowOptions {
  /** Last event seen; default 0 (all). */
  after?: number;
  /** Begin with the newest run's first event; earlier ones are read by `eventsBefore`. The first item is then `begin`. */
  newestRun?: boolean;
  /**
   * Registers how to be woken. A follower of a session at rest then asks the server nothing by itself: whoever watches the list
   * wakes it when the session's line changes.
   */
  onWake?: (wake: () => void) => void;
  signal: AbortSignal;
}

/** A durable event with the body of the message it names. */
export interface EventItem {
  kind: "event";
  event: SessionEvent;
  /** Body of the message a `message_end` names. */
  message?: StoredMessage["message"];
}

/** The account of a session. Works with no worker and for closed sessions: then `live` is absent. */
export interface SessionAccount {
  summary: SessionSummary;
  messages: StoredMessage[];
  usage: Usage;
  turns: number;
  /** Present when a worker answered the query. */
  live?: SessionState;
  /** Why a session failed, was stopped, blocked or ended, in words. */
  cause?: string;
  next?: string;
  temporalUiPath: string;
}

/** What a follower gets, in order. Durable events come once each, by `seq`; live frames only while they last. */
export type FollowItem =
  | EventItem
  /** With `newestRun`: number of the first event that is told; those before it are read by `eventsBefore`. */
  | { kind: "begin"; first: number }
  | { kind: "live"; frame: LiveFrame }
  /** The state was read anew: at the start, at a change, after an outage. */
  | { kind: "state"; state: SessionState }
  /** Model or tool attempt that failed and waits for its next try; milliseconds since 1970. */
  | { kind: "retrying"; what: string; message: string; attempt: number; nextTryAt?: number }
  /** No worker answers (`offline` true), or one does again. */
  | { kind: "offline"; offline: boolean; why?: string }
  /** Events before this point are missing or hold no more; the next ones go on from the state that follows. */
  | { kind: "resync"; why: string }
  /** The worker was replaced since the last item. */
  | { kind: "workerRestarted" }
  /** The run closed and nothing continues it; always the last item. */
  | { kind: "closed"; state: SessionStateName; cause?: string };

/** What a person asks for. */
export interface Prompt {
  id: string;
  text: string;
  attachments?: ImageContent[];
}

/** What a person decides; `by` and `via` are recorded with it. */
export interface Decision {
  approvalId: string;
  decision: DecisionKind;
  remember?: Remember;
  reason?: string;
  args?: Record<string, unknown>;
  by: string;
  via?: DecisionVia;
}

export type DecideOutcome =
  | { kind: "accepted" }
  /** Nothing changed; `reason` says why: unknown, already decided, withdrawn, not proved. */
  | { kind: "refused"; reason: string };

export interface SessionClient {
  start(input: SessionInput, firstPrompt: Prompt): Promise<void>;
  /** Newest run of each session, by group (needs you, working, done), then newest first. */
  list(): Promise<SessionSummary[]>;
  /** Full id for a unique prefix; throws `SessionNotFound` with the candidates. */
  resolve(prefix: string): Promise<string>;
  state(sessionId: string): Promise<SessionState>;
  /** `recorded`: only what the history tells, without asking a worker, which may take seconds to answer. */
  account(sessionId: string, options?: { recorded?: boolean }): Promise<SessionAccount>;
  /** Ends with the `closed` item, or when `signal` aborts. */
  follow(sessionId: string, options: FollowOptions): AsyncIterable<FollowItem>;
  /** Events of the run before the one that holds `seq`, oldest first; none when `seq` is in the first run. */
  eventsBefore(sessionId: string, seq: number): Promise<EventItem[]>;
  /**
   * All sessions, anew at each change: the worker's hints tell at once, and one list query each 2 s whatever came without one.
   * Ends when `signal` aborts. Never throws for an outage: it says so and goes on.
   */
  watch(signal: AbortSignal): AsyncIterable<Overview>;
  /** Delivers to an open session or reopens a closed one. */
  send(sessionId: string, prompt: Prompt & { delivery: Delivery }): Promise<void>;
  /** Signs, signals, and waits until the session took or refused the decision. */
  decide(sessionId: string, decision: Decision): Promise<DecideOutcome>;
  /** The same decision, signed, as arguments of the Temporal CLI: for whoever reaches the server but not this machine's files. */
  decisionSignal(sessionId: string, decision: Decision): string[];
  abort(sessionId: string, by: string): Promise<void>;
  finish(sessionId: string, by: string): Promise<void>;
  retry(sessionId: string, by: string): Promise<void>;
  configure(sessionId: string, changes: Omit<ConfigureSignal, "id">): Promise<void>;
}

export type { ApprovalLevel };
