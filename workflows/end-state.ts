import { type AgentEndReason, isLimit, type SessionStateName } from "../src/agent/events.ts";

/** State, cause and next command of a session whose work on a prompt ended. `abortedBy`: who stopped it. */
export function endState(
  sessionId: string,
  reason: AgentEndReason,
  errorMessage: string | undefined,
  abortedBy: string | undefined,
): [state: SessionStateName, cause?: string, next?: string] {
  const send = `tempi send ${sessionId}`;
  if (reason === "aborted") return ["stopped", `stopped by ${abortedBy}`, `${send} "…"`];
  if (isLimit(reason)) return ["stopped", errorMessage, `${send} "go on"`];
  if (reason === "failed") return ["failed", errorMessage, `${send} "…"`];
  return ["idle"];
}
