import type { Approval, RememberedRule } from "../../agent/approval.ts";
import type { SessionClient } from "../../client/contract.ts";
import { limits } from "../../protocol/limits.ts";
import type { DecideAnswer, DecideRequest } from "../api.ts";
import type { Audit } from "./audit.ts";
import type { Caller } from "./guard.ts";
import { firstLine, HttpError, httpErrorOf } from "./http-error.ts";
import { decideSchema } from "./request-schemas.ts";
import { callerOf, json, type Route, sessionIdOf } from "./route.ts";
import type { Streams } from "./streams/streams.ts";

const historyPatienceMs = 5_000;

export interface DecideParts {
  client: SessionClient;
  streams: Streams;
  audit: Audit;
  addProjectRule(rule: RememberedRule): Promise<void>;
}

export function decideRoute(parts: DecideParts): Route {
  /** One decision of an approval after the other: the second learns what the first did. */
  const running = new Map<string, Promise<unknown>>();
  return {
    method: "POST",
    path: "/api/sessions/:id/decide",
    guard: "device",
    handle: async (request) => {
      const sessionId = sessionIdOf(request);
      const caller = callerOf(request);
      const body: DecideRequest = await request.body(decideSchema);
      const key = `${sessionId} ${body.approvalId}`;
      const mine = (running.get(key) ?? Promise.resolve()).then(() => decide(parts, sessionId, caller, body));
      const settled = mine.catch(() => undefined);
      running.set(key, settled);
      void settled.then(() => {
        if (running.get(key) === settled) running.delete(key);
      });
      return json(200, await mine);
    },
  };
}

async function decide(
  parts: DecideParts,
  sessionId: string,
  caller: Caller,
  body: DecideRequest,
): Promise<DecideAnswer> {
  const note = (outcome: string) =>
    parts.audit.tell(`decision by ${caller.name}: ${body.decision} ${body.approvalId} of ${sessionId}: ${outcome}`);
  try {
    const approval = await pendingApproval(parts, sessionId, body.approvalId);
    checkRequest(body, approval);
    const outcome = await parts.client.decide(sessionId, { ...body, by: caller.name, via: "page" });
    if (outcome.kind === "refused") throw new HttpError(409, outcome.reason);
    note("accepted");
    return await remember(parts, body, approval);
  } catch (error) {
    const { answer } = httpErrorOf(error);
    note(`${answer.status}, ${answer.message}`);
    throw error;
  }
}

async function pendingApproval(parts: DecideParts, sessionId: string, approvalId: string): Promise<Approval> {
  const { pending, lastEvent } = await parts.client.state(sessionId);
  const found = pending.find(({ id }) => id === approvalId);
  if (found) return found;
  const patience = AbortSignal.timeout(historyPatienceMs);
  const known = await parts.streams.session(sessionId).approval(approvalId, lastEvent, patience);
  if (known === undefined) throw new HttpError(404, "no such approval");
  if (known === "waits") throw new HttpError(409, "it does not wait any more");
  throw new HttpError(409, `it was decided before: ${known.decision} by ${known.by}`);
}

/** What the session would drop without a word is refused here. */
function checkRequest({ decision, remember, args }: DecideRequest, approval: Approval): void {
  if (decision === "deny" && (remember !== undefined || args !== undefined)) {
    throw new HttpError(400, "a denied call is not remembered, and its arguments are not edited");
  }
  if (JSON.stringify(args ?? null).length > limits.editedArgumentsCharacters) {
    throw new HttpError(413, `edited arguments may have ${limits.editedArgumentsCharacters} characters at most`);
  }
  if (remember === "session" && approval.rememberText === undefined) {
    throw new HttpError(400, "this call cannot be remembered for the session");
  }
  if (remember === "project" && approval.projectRule === undefined) {
    throw new HttpError(400, "this call cannot be remembered for the repository");
  }
  if (remember !== undefined && args !== undefined) {
    throw new HttpError(400, "an edited call is allowed once: the rule on the card is about the call as it was");
  }
}

/** The decision stands whatever comes of the rule: then the answer says so. */
async function remember(parts: DecideParts, body: DecideRequest, approval: Approval): Promise<DecideAnswer> {
  if (body.remember === "session") return { rule: approval.rememberText! };
  if (body.remember !== "project") return {};
  const { rule, text } = approval.projectRule!;
  try {
    await parts.addProjectRule(rule);
    parts.audit.tell(`rule added: ${text}`);
    return { rule: text };
  } catch (error) {
    parts.audit.error("adding a rule", error);
    return { ruleError: `allowed, but the rule could not be written: ${firstLine(error)}` };
  }
}
