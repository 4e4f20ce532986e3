import type { ApprovalReason, RememberedRule } from "./approval.ts";
import type { StoredMessage, ToolResultMessage } from "./messages.ts";
import type { Display, ToolEffect, ToolExecutionMode } from "./tool.ts";

/** What the preflight made of one call. One per call, in source order. */
export interface PreparedCall {
  /** `<turn>.<position>`, ours. */
  callId: string;
  /** The provider's. */
  toolCallId: string;
  toolName: string;
  /** `immediate`: answered without running (`result`). `ask`: ready once a person allows it. */
  kind: "immediate" | "ready" | "ask";
  result?: StoredMessage<ToolResultMessage>;
  /** Present only when a hook or an approver changed what the model sent. */
  args?: Record<string, unknown>;
  /** It was the approver. */
  edited?: true;
  effect: ToolEffect;
  executionMode: ToolExecutionMode;
  /** Resolved paths the call writes; calls of equal key run in source order. */
  lockKeys: string[];
  /** Hex. Covers tool, checked arguments, cwd, PATH and program, hash of the file. */
  digest: string;
  summary: string;
  display: Display[];
  reason?: ApprovalReason;
  reasonDetail?: string;
  /** What `remember` stores; absent when the call can't be remembered. */
  rememberKey?: string;
  rememberText?: string;
  projectRule?: { rule: RememberedRule; text: string };
  /** Milliseconds after which an unanswered approval counts as denied. */
  deadlineMs?: number;
  /** The user's configuration names somebody who is told of an approval. */
  notify?: true;
}

/** Answers that no tool gave. The text is made by `settledText`. */
export type SettledCode = "aborted" | "gaveUp" | "denied" | "length" | "tooMany" | "failed";

export interface SettledCall {
  callId: string;
  toolCallId: string;
  toolName: string;
  code: SettledCode;
  /** Words of the person who denied, or what failed. */
  reason?: string;
}

export interface CallOutcome {
  result: StoredMessage<ToolResultMessage>;
  terminate?: boolean;
}
