import { type SessionState, stateQuery } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";

/** What a session says of itself; of one that was ended from outside, what is true of it now. */
export async function stateOf(context: ClientContext, sessionId: string): Promise<SessionState> {
  const handle = sessionHandle(context, sessionId);
  // One after the other: a call that nobody waits for any more must not be under way when the connection closes.
  const state = await handle.query(stateQuery);
  const description = await handle.describe();
  if ("error" in state) throw new Error(state.error);
  const { name } = description.status;
  if (name === "RUNNING" || name === "COMPLETED") return state;
  const { next: _, ...rest } = state;
  return { ...rest, state: "ended", cause: "ended in the Temporal server", pending: [], running: [] };
}
