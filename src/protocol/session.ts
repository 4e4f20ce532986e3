import { defineQuery, defineSignal } from "@temporalio/workflow";
import type { Approval, ApprovalLevel, DecisionKind, DecisionVia, Remember, SessionRule } from "../agent/approval.ts";
import type { AgentEndReason, SessionEvent, SessionStateName } from "../agent/events.ts";
import type { ImageContent, StoredMessage, Usage } from "../agent/messages.ts";
import type { RepeatedFailures } from "../agent/repeated-failures.ts";
import type { SummaryReference } from "./activities.ts";

/** Workflow type and id. No user text in ids: they are never encrypted and stand in logs. */
export const sessionWorkflowType = "session";
export const workflowIdOf = (sessionId: string): string => `session-${sessionId}`;
export const taskQueueOf = (machineId: string): string => `tempi-${machineId}`;
export const approvalIdOf = (runId: string, callId: string, digest: string): string =>
  `${runId.slice(0, 8)}.${callId}.${digest.slice(0, 12)}`;
/** Our id of a call: `<turn>.<position>`, both counted from 1. */
export const callIdOf = (turn: number, position: number): string => `${turn}.${position}`;
/** What is shown as a call of a turn and is none of the model's. */
export const untilCallId = (turn: number): string => `${turn}.until`;
export const budgetCallId = (turn: number): string => `${turn}.budget`;

/** Session ids: 6 characters without look-alikes (no 0 1 i l o u). */
export const sessionIdAlphabet = "23456789abcdefghjkmnpqrstvwxyz";
export const sessionIdPattern = /^[23456789abcdefghjkmnpqrstvwxyz]{6}$/;

/** The model a session asks. Keys are never here, only the name of the variable that holds one on the worker. */
export interface ModelSettings {
  /** `scripted` = a file of answers; everything else is an OpenAI-compatible endpoint. */
  provider: string;
  /** The endpoint's name of the model; for `scripted` the absolute path of the file. */
  model: string;
  baseUrl?: string;
  keyVariable?: string;
  /** Tokens. Absent: unknown. */
  contextWindow?: number;
  /** Tokens of one answer at most. Absent: what the endpoint gives. */
  maxOutput?: number;
}

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** What `configure` may change while a session lives. */
export interface SessionSettings {
  model: ModelSettings;
  thinking: ThinkingLevel;
  approval: ApprovalLevel;
  activeTools: string[];
  maxTurns: number;
  /** Prompts taken at a time: the oldest (default), or all that wait. */
  queue?: "one" | "all";
  /** File whose text replaces the system prompt's preamble, tools and rules. Absolute; read at each request. */
  systemPromptFile?: string;
  /** Command that must exit with 0 before an answer counts as one. The user's own, so it needs no approval. */
  until?: string;
  /** Milliseconds of one piece of work, from its prompt to its end, waiting included. */
  timeoutMs?: number;
  /** US dollars; each time they are spent a person is asked for as much again. */
  budget?: number;
}

/** A run of the workflow and the part of its messages that belongs to the conversation: indices `[from, to)` in that run. */
export interface TranscriptSegment {
  runId: string;
  from: number;
  to: number;
}

/** What goes on through continue-as-new and reopening. No message text: prompts still queued are named by run and id. */
export interface CarriedState {
  segments: TranscriptSegment[];
  settings: SessionSettings;
  /** Prompts not taken yet, oldest first. */
  queue: { id: string; runId: string; delivery: Delivery }[];
  /** What `decide … remember` stored, oldest first. */
  remembered: SessionRule[];
  /** When the session's first run began: what a rule allows may not have been changed since. */
  startedAt?: number;
  turn: number;
  repeated?: RepeatedFailures;
  /** Number of the last event. */
  lastEvent: number;
  usage: Usage;
  /** Estimate of what the next request sends, in tokens. */
  contextTokens?: number;
  summary?: SummaryReference;
  /** Ids of signals already taken, newest last, bounded. */
  seenSignals: string[];
  state: SessionStateName;
  /** Turns taken for the prompt being worked on, when a run goes on in the middle of it. */
  turnsThisPrompt?: number;
  /** With `turnsThisPrompt`: the last turn made calls, so a request follows. */
  goOn?: boolean;
  /** With `turnsThisPrompt`: how the check of the last answer failed; when the time is up, milliseconds since 1970. */
  checkFailed?: { how: string; times: number };
  timeoutAt?: number;
  deniedCalls?: number;
  /** US dollars that may be spent, raised by whom the budget asked. */
  budget?: number;
}

export interface SessionInput {
  v: 1;
  sessionId: string;
  /** First line of the first prompt, for lists. */
  title: string;
  cwd: string;
  /** Name of the repository's (or else the workspace's) folder. */
  repository: string;
  environment: Record<string, string>;
  settings: SessionSettings;
  /** Milliseconds between the answer and the end of the run; 0 = at once (`run --once`). */
  closeAfterMs: number;
  /** Events of a run after which the session goes on in a new one; absent = the limit of the product. */
  continueAsNewEvents?: number;
  /** Set when this run goes on from another: by continue-as-new, or because `send` reopened the session. */
  previous?: { runId: string; carried: CarriedState };
}

/** Result of a closed run: what reopening needs. */
export interface SessionResult {
  v: 1;
  sessionId: string;
  carried: CarriedState;
}

export type Delivery = "steer" | "followUp";

export interface PromptSignal {
  id: string;
  text: string;
  /** When it was sent, milliseconds since 1970: so that workflow and readers of history build the same message. */
  at: number;
  attachments?: ImageContent[];
  delivery: Delivery;
}

export interface DecideSignal {
  id: string;
  approvalId: string;
  decision: DecisionKind;
  /** Also allow the same thing without asking: for the rest of this session, or (then the sender writes the rule) in this repository. */
  remember?: Remember;
  /** Edited arguments; checked again before they run. */
  args?: Record<string, unknown>;
  reason?: string;
  by: string;
  /** Way it came; covered by the proof, as `by` is. */
  via?: DecisionVia;
  /** HMAC over approval id and decision (`src/protocol/proof.ts` states the text), by a key in TEMPI_HOME. */
  proof: string;
}

export interface AbortSignalPayload {
  id: string;
  by: string;
  reason?: string;
}

export interface ConfigureSignal {
  id: string;
  model?: ModelSettings;
  thinking?: ThinkingLevel;
  activeTools?: string[];
  approval?: ApprovalLevel;
  title?: string;
  /** Keys of session rules to take back. */
  forget?: string[];
  /** Needed for `approval`: HMAC over `configureProofText`. */
  proof?: string;
}

/** `retry` goes on with a blocked turn; `finish` ends the session after the running turn was stopped. */
export interface PlainSignal {
  id: string;
  by: string;
}

export const promptSignal = defineSignal<[PromptSignal]>("prompt");
export const decideSignal = defineSignal<[DecideSignal]>("decide");
export const abortSignal = defineSignal<[AbortSignalPayload]>("abort");
export const configureSignal = defineSignal<[ConfigureSignal]>("configure");
export const retrySignal = defineSignal<[PlainSignal]>("retry");
export const finishSignal = defineSignal<[PlainSignal]>("finish");

/** Answer of the query `state`. */
export interface SessionState {
  sessionId: string;
  runId: string;
  state: SessionStateName;
  /** Why it is blocked, stopped or failed, in words; `next` is the command that mends it. */
  cause?: string;
  next?: string;
  lastEndReason?: AgentEndReason;
  title: string;
  cwd: string;
  repository: string;
  settings: SessionSettings;
  turn: number;
  pending: Approval[];
  running: { toolCallId: string; toolName: string; summary: string; startedAt: number }[];
  /** `text`: its beginning; absent where an earlier run received it. */
  queued: { id: string; delivery: Delivery; text?: string }[];
  /** What was allowed for the rest of the session; `configure {forget}` takes it back by key. */
  rules: SessionRule[];
  usage: Usage;
  /** Estimate of what the next request sends, in tokens; 0 = unknown. */
  contextTokens: number;
  /** Messages in the whole transcript, earlier runs included. */
  messageCount: number;
  lastEvent: number;
  startedAt: number;
  /** Calls denied because nobody could answer (`--on-ask deny`) or by a person. */
  deniedCalls: number;
}

export interface EventsPage {
  /** Numbers of the first and last event this run holds; `first > last` when it holds none. */
  first: number;
  last: number;
  previousRunId?: string;
  events: SessionEvent[];
  /** What the `message_end` events of this page name. An entry without a message stands in the run it names. */
  messages: (StoredMessage | { id: string; runId: string })[];
}

/** Messages of this run from `from` (index within the run). `message` is absent where an earlier run holds it (`runId`). */
export interface TranscriptPage {
  runId: string;
  segments: TranscriptSegment[];
  entries: (StoredMessage | { id: string; runId: string })[];
  /** Messages in this run. */
  count: number;
}

export const stateQuery = defineQuery<SessionState | { error: string }>("state");
export const eventsQuery = defineQuery<EventsPage | { error: string }, [after: number]>("events");
export const transcriptQuery = defineQuery<TranscriptPage | { error: string }, [from: number]>("transcript");

/** Custom search attributes and their types, as the server registers them. */
export const searchAttributes = { TempiState: "Keyword", TempiWaiting: "Int", TempiRepo: "Keyword" } as const;

/** Memo of a session's workflow: what a list shows without a query. */
export interface SessionMemo {
  title: string;
  cwd: string;
  model: string;
  /** Totals, brought up to date whenever the session comes to rest. */
  usage?: Usage;
}
