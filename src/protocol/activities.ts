import type { ApprovalLevel } from "../agent/approval.ts";
import type {
  AssistantMessage,
  StoredMessage,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../agent/messages.ts";
import type { PreparedCall, SettledCall } from "../agent/prepared-call.ts";
import type { RepeatedFailures } from "../agent/repeated-failures.ts";
import type { ModelSettings, ThinkingLevel, TranscriptSegment } from "./session.ts";

/**
 * Inputs and results of activities. They hold no message text: `ids` name what was added to the open run's messages since
 * the last model input, from index `from` on. So each text stands in history once, and readers learn the order from here.
 */
export interface TranscriptReference {
  segments: TranscriptSegment[];
  runId: string;
  from: number;
  ids: string[];
}

/** What every activity of a session needs to know of it. */
export interface SessionScope {
  sessionId: string;
  cwd: string;
}

/** Stands in `activeTools` for all tools of extensions. */
export const allExtensionTools = "extensions";

export interface ModelInput extends SessionScope {
  v: 1;
  turn: number;
  transcript: TranscriptReference;
  model: ModelSettings;
  thinking: ThinkingLevel;
  activeTools: string[];
  systemPromptFile?: string;
  /** Stands for the messages before its `upTo`. */
  summary?: SummaryReference;
  /** What the preflight of the answer's calls needs: it runs in the same activity. */
  preflight: PreflightSettings;
  /** Day (YYYY-MM-DD) the session started: in the prompt, and the same in every turn, for the endpoint's cache. */
  date: string;
}

export interface ModelResult {
  v: 1;
  stored: StoredMessage<AssistantMessage>;
  /** What the model was offered: calls are looked up in this set. */
  offered: { tools: string[]; promptHash: string };
  /** Things a person should know, such as an extension that was skipped; told once each. */
  notices?: string[];
  /**
   * The answer's calls, prepared. Absent when there are none, when they are not to run, or when it did not work or grew too
   * large: then `prepare` does it. Holds for the settings it was made with.
   */
  prepared?: { settings: PreflightSettings; calls: PreparedCall[] };
  /** The user's configuration names somebody who is told. */
  notify?: true;
}

/** Settings that decide what the preflight says of a call. */
export interface PreflightSettings {
  approval: ApprovalLevel;
  /** Keys of what a person allowed for the rest of the session. */
  remembered: string[];
  /** When the session began, milliseconds since 1970. */
  startedAt?: number;
  /** Calls that keep failing, so that their next failure is told as such. */
  repeated?: RepeatedFailures;
}

/** Names an assistant message whose calls are meant. */
export interface AssistantReference {
  runId: string;
  messageId: string;
}

export interface PrepareInput extends SessionScope {
  v: 1;
  turn: number;
  /** `provider/model`, for hooks and tools. */
  model: string;
  assistant: AssistantReference;
  offered: string[];
  /** Positions in the assistant message, from 1. */
  positions: number[];
  settings: PreflightSettings;
  /** Arguments a person edited, for the one call they belong to. */
  editedArgs?: Record<string, unknown>;
}

export interface PrepareResult {
  v: 1;
  calls: PreparedCall[];
}

export interface ExecuteInput extends SessionScope {
  v: 1;
  callId: string;
  /** `provider/model`, for hooks and tools. */
  model: string;
  assistant: AssistantReference;
  position: number;
  /** As in the timeline. */
  summary: string;
  digest: string;
  /** For the reader of the Temporal UI, up to 8 KB; what runs are the assistant message's arguments unless `changed`. */
  args?: ToolCall["arguments"];
  /** Arguments changed by a hook or an approver; these run. */
  changed?: Record<string, unknown>;
  /** It was the approver who changed them: the model is told. */
  edited?: true;
  failedBefore: number;
  /** Files that the preflight judged, links followed: the call writes these or nothing. */
  lockKeys: string[];
  /** A person read and allowed exactly this: what changed since then must not run. */
  approved: boolean;
}

export interface ExecuteResult {
  v: 1;
  stored: StoredMessage<ToolResultMessage>;
  terminate?: boolean;
}

export interface SettleInput extends SessionScope {
  v: 1;
  calls: SettledCall[];
}

export interface SettleResult {
  v: 1;
  stored: StoredMessage<ToolResultMessage>[];
}

/** A text of `src/protocol/proof.ts` and its HMAC-SHA256 (hex) by this home's key. */
export interface VerifyInput {
  text: string;
  proof: string;
}

export interface VerifyResult {
  v: 1;
  valid: boolean;
}

/** Something waits for a person, or came to an end. The worker's own configuration says who is told; without targets nothing happens. */
export interface NotifyInput extends SessionScope {
  v: 1;
  kind: "waiting" | "blocked" | "ended";
  title: string;
  /** Of `waiting`. */
  waiting?: { toolName: string; summary: string }[];
  /** Of `ended`: the session's state. */
  state?: string;
  /** Why it is blocked, or was stopped or failed; and the command that mends it. */
  cause?: string;
  next?: string;
}

export interface NotifyResult {
  v: 1;
  told: ("command" | "url")[];
}

/** The check of an answer: the command of `SessionSettings.until`. */
export interface UntilInput extends SessionScope {
  v: 1;
  /** `untilCallId`. */
  callId: string;
  command: string;
  /** `provider/model`. */
  model: string;
}

export interface UntilResult {
  v: 1;
  /** Null when it is not known. */
  exitCode: number | null;
  durationMs: number;
  /** Absent when it exited with 0: what the model is told, and a fingerprint of how it failed. */
  failed?: { stored: StoredMessage<UserMessage>; how: string };
}

/** A summary and the index (in the whole transcript) of the first message that is still sent word for word. */
export interface SummaryReference {
  id: string;
  /** Run whose history holds its text, as the result of `compact`. */
  runId: string;
  upTo: number;
}

export interface CompactInput extends SessionScope {
  v: 1;
  turn: number;
  transcript: TranscriptReference;
  model: ModelSettings;
  /** The summary before, which goes into the new one. */
  summary?: SummaryReference;
  /** Tokens of the newest messages that stay. */
  keepTokens: number;
}

export interface CompactResult {
  v: 1;
  summary: { id: string; text: string };
  upTo: number;
  /** Estimate of what is sent from now on. */
  tokensAfter: number;
  /** What making the summary used. */
  usage?: Usage;
}

/** Names of the activities that are not tools; no tool may be called like one. */
export interface SessionActivities {
  model(input: ModelInput): Promise<ModelResult>;
  prepare(input: PrepareInput): Promise<PrepareResult>;
  settle(input: SettleInput): Promise<SettleResult>;
  compact(input: CompactInput): Promise<CompactResult>;
  verifyProof(input: VerifyInput): Promise<VerifyResult>;
  notify(input: NotifyInput): Promise<NotifyResult>;
  until(input: UntilInput): Promise<UntilResult>;
}

export const reservedActivityNames: (keyof SessionActivities)[] = [
  "model",
  "prepare",
  "settle",
  "compact",
  "verifyProof",
  "notify",
  "until",
];

/** Failure types (dotted, `ApplicationFailure.type`) that the workflow understands. The first group blocks the turn. */
export const blockingFailures = [
  "Model.Auth",
  "Model.Quota",
  "Model.UnknownModel",
  "Model.Overflow",
  "Model.Exhausted",
  "Workspace.Gone",
  "Disk.Full",
] as const;
/** Retried by the engine without counting against anyone: the worker went away or is shutting down. */
export const workerGoneFailure = "Worker.Gone";
