import type { LoopState } from "../src/agent/loop.ts";
import type { CarriedState, SessionInput, SessionState } from "../src/protocol/session.ts";
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
}

/** Answer of the query `state`. `startedAt`: of this run, milliseconds since 1970. */
export const sessionState = (parts: SessionParts, turn: number, startedAt: number): SessionState => ({
  ...parts.record.snapshot(),
  title: parts.settings.title,
  cwd: parts.input.cwd,
  repository: parts.input.repository,
  settings: parts.settings.now,
  turn,
  pending: parts.approvals.open(),
  queued: parts.prompts.described,
  rules: [...parts.approvals.rules],
  startedAt,
});

/** What the next run, or a reopened session, goes on with. `startedAt`: of the first run. */
export function carriedState(
  { record, settings, approvals, prompts }: SessionParts,
  loop: LoopState,
  seenSignals: string[],
  startedAt: number,
): CarriedState {
  const { runId, segments, entries, lastEvent, usage, contextTokens, summary, state, deniedCalls, budget } = record;
  return {
    segments: entries.length === 0 ? segments : [...segments, { runId, from: 0, to: entries.length }],
    settings: settings.now,
    queue: prompts.carried(),
    remembered: [...approvals.rules],
    startedAt,
    turn: loop.turn,
    ...(loop.repeated ? { repeated: loop.repeated } : {}),
    lastEvent,
    usage,
    contextTokens,
    deniedCalls,
    ...(budget === undefined ? {} : { budget }),
    ...(summary ? { summary } : {}),
    seenSignals,
    state,
  };
}

/** Why a session with open approvals waits. */
export function waitingCause(open: ReturnType<Approvals["open"]>): string {
  if (open[0]!.kind === "budget") return "the budget is spent and waits for your decision";
  return `${open.length === 1 ? "a call waits" : `${open.length} calls wait`} for your decision`;
}
