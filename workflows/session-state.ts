import type { SessionInput, SessionState } from "../src/protocol/session.ts";
import type { Approvals } from "./approvals.ts";
import type { Prompts } from "./prompts.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Settings } from "./session-settings.ts";

export interface SessionParts {
  input: SessionInput;
  record: SessionRecord;
  settings: Settings;
  approvals: Approvals;
  prompts: Prompts;
  turn: number;
  /** Of this run, milliseconds since 1970. */
  startedAt: number;
}

/** Answer of the query `state`. */
export const sessionState = (parts: SessionParts): SessionState => ({
  ...parts.record.snapshot(),
  title: parts.settings.title,
  cwd: parts.input.cwd,
  repository: parts.input.repository,
  settings: parts.settings.now,
  turn: parts.turn,
  pending: parts.approvals.open(),
  queued: parts.prompts.described,
  rules: [...parts.approvals.rules],
  startedAt: parts.startedAt,
});

/** Why a session with open approvals waits. */
export function waitingCause(open: ReturnType<Approvals["open"]>): string {
  if (open[0]!.kind === "budget") return "the budget is spent and waits for your decision";
  return `${open.length === 1 ? "a call waits" : `${open.length} calls wait`} for your decision`;
}
