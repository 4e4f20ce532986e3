import type { Display } from "./tool.ts";

export type ApprovalLevel = "ask" | "edits" | "auto";

/** Closed list: why a call waits for a person. Texts in `approvalReasonText`. */
export type ApprovalReason =
  | "level" // the session's approval level asks for this tool
  | "outside-workspace"
  | "protected-file"
  | "not-read-only" // a command that is not one simple read-only command
  | "hook"
  | "rule" // a rule of the configuration asks, or the rules could not be read
  | "budget" // what the session may spend is spent
  | "changed-script"; // a rule allows the command, but what it runs was changed since the session began

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
  /** Rule that `remember: "project"` would write to the user's rules, and its words. Absent: cannot be remembered. */
  projectRule?: { rule: RememberedRule; text: string };
  requestedAt: number;
  /** From then on it counts as denied: a rule sets a deadline. Milliseconds since 1970. */
  expiresAt?: number;
}

/** An allow rule of the user, for one repository. Of `command` and `path` at most one. */
export interface RememberedRule {
  tool: string;
  /** The exact line, for bash. */
  command?: string;
  /** Relative to the repository, for edit and write; a glob, so special characters are escaped. */
  path?: string;
  /** Absolute path of the repository's folder. */
  repository: string;
}

/** How long an allowed thing need not ask again. */
export type Remember = "session" | "project";

/** A thing allowed for the rest of a session. */
export interface SessionRule {
  key: string;
  text: string;
  by: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Way a decision came. */
export type DecisionVia = "page" | "command" | "terminal" | "signal" | "deadline";

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
    case "rule":
      return detail ?? "a rule of your configuration asks";
    case "budget":
      return "what this session may spend is spent";
    case "changed-script":
      return `a rule allows it, but what it runs was changed in this session${detail ? `: ${detail}` : ""}`;
  }
}

/** What the model reads when a person denied a call without giving a reason. */
export const deniedText = "A person denied this call. Do not do it another way; go on without it or say what you need.";
