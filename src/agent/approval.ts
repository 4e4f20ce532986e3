import type { Display } from "./tool.ts";

export type ApprovalLevel = "ask" | "edits" | "auto";

/** Closed list: why a call waits for a person. Texts in `approvalReasonText`. */
export type ApprovalReason =
  | "level" // the session's approval level asks for this tool
  | "outside-workspace"
  | "protected-file"
  | "not-read-only" // a command that is not one simple read-only command
  | "hook";

export interface Approval {
  /** Run id, call id and digest in one: after a workflow reset nothing old applies. */
  id: string;
  kind: "tool" | "question" | "budget" | "trust";
  /** Our id, `<turn>.<position>`. */
  toolCallId: string;
  toolName: string;
  summary: string;
  display: Display[];
  reason: ApprovalReason;
  /** Words of the hook that asked, or the path that is outside or protected. */
  reasonDetail?: string;
  cwd: string;
  /** Key of the rule that `remember` would store, in words: `bash: npm test`. Absent: cannot be remembered. */
  rememberText?: string;
  requestedAt: number;
}

export type DecisionKind = "allow" | "deny";

export function approvalReasonText(reason: ApprovalReason, detail?: string): string {
  switch (reason) {
    case "level":
      return "this session asks before it changes something";
    case "outside-workspace":
      return `it touches a file outside the workspace${detail ? `: ${detail}` : ""}`;
    case "protected-file":
      return `it changes a protected file${detail ? `: ${detail}` : ""}`;
    case "not-read-only":
      return "the command may change something";
    case "hook":
      return detail ?? "a hook asks";
  }
}

/** What the model reads when a person denied a call without giving a reason. */
export const deniedText = "A person denied this call. Do not do it another way; go on without it or say what you need.";
