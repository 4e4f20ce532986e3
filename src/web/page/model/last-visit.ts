import { groupOf } from "../../../agent/session-groups.ts";
import type { SessionSummary } from "../../../client/contract.ts";

const mostKeys = 500;

/** Tells one coming to rest from the next: a session that worked again has used more. */
const restKey = ({ id, runId, state, usage }: SessionSummary): string =>
  [id, runId.slice(0, 8), state, usage ? usage.input + usage.output + usage.cacheRead : 0].join(" ");

const isDone = ({ state }: SessionSummary): boolean => groupOf(state) === "Done";

/** What is stored when the person leaves: the sessions they could see at rest. */
export const visitMark = (sessions: readonly SessionSummary[]): string[] =>
  sessions.filter(isDone).slice(0, mostKeys).map(restKey);

/** Ids of sessions that came to rest since `mark` was made; none when there is no mark, since then all are new. */
export function doneSince(sessions: readonly SessionSummary[], mark: readonly string[] | undefined): Set<string> {
  if (mark === undefined) return new Set();
  const seen = new Set(mark);
  return new Set(sessions.filter((session) => isDone(session) && !seen.has(restKey(session))).map(({ id }) => id));
}
