import type { Approval, DecisionKind } from "../../agent/approval.ts";
import type { SessionSummary, WaitingApproval } from "../../client/contract.ts";
import { UserError } from "../../config/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkIdShape, resolveId } from "../ids.ts";
import { isInteractive } from "../questions.ts";
import { approvalCard } from "../render/card.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { lookOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { walkCards } from "./walk-cards.ts";
import { print, refuseInsideSession, say, withClient } from "./with-client.ts";

/**
 * `approve` and `deny`. On a terminal, without an approval's id, it walks through whole cards, oldest first. Elsewhere
 * it decides at once, but only where exactly one thing waits: a blind yes must not hit another call than was meant.
 */
export async function decideCommand(
  services: CliServices,
  decision: DecisionKind,
  id: string | undefined,
  approvalId: string | undefined,
  flags: { reason?: string; print?: boolean },
): Promise<number> {
  const command = decision === "allow" ? "approve" : "deny";
  if (decision === "allow") refuseInsideSession(services, command);
  if (id !== undefined) checkIdShape(id);
  return withClient(services, async (client) => {
    const sessionId = id === undefined ? undefined : await resolveId(client, id, services.cwd);
    const waiting = await waitingApprovals(client, sessionId);
    if (approvalId !== undefined) {
      const found = waiting.find(({ approval }) => approval.id === approvalId);
      if (found === undefined) throw noSuchApproval(approvalId, sessionId);
      return decideOne(client, services, found, decision, flags);
    }
    if (waiting.length === 0) {
      const next = sessionId === undefined ? "tempi list" : `tempi show ${sessionId}`;
      throw new UserError(`nothing waits for you${sessionId === undefined ? "" : ` in ${sessionId}`}.`, { next });
    }
    if (isInteractive(services) && flags.reason === undefined && !flags.print)
      return walkCards(client, services, waiting);
    if (waiting.length === 1) return decideOne(client, services, waiting[0]!, decision, flags);
    const lines = waiting.map(
      (one) => `  tempi ${command} ${one.sessionId} ${one.approval.id}   ${short(one.approval)}`,
    );
    throw new UserError(`${waiting.length} approvals wait, name one:\n${lines.join("\n")}`, {
      exitCode: exitCodes.usage,
    });
  });
}

const noSuchApproval = (approvalId: string, sessionId: string | undefined): UserError =>
  new UserError(`no such approval: ${JSON.stringify(approvalId.slice(0, 80))} (decided already, or withdrawn).`, {
    next: sessionId === undefined ? "tempi list --waiting" : `tempi show ${sessionId}`,
  });

/** All that waits, oldest first. A session whose worker does not answer is left out. */
async function waitingApprovals(client: ConnectedClient, sessionId: string | undefined): Promise<WaitingApproval[]> {
  const sessions: Pick<SessionSummary, "id">[] =
    sessionId === undefined
      ? (await client.list()).filter((session) => session.state === "waiting" || session.waiting > 0)
      : [{ id: sessionId }];
  const states = await Promise.allSettled(sessions.map((session) => client.state(session.id)));
  const only = states.length === 1 ? states[0] : undefined;
  if (only?.status === "rejected") throw only.reason;
  return states
    .flatMap((state) => (state.status === "fulfilled" ? [state.value] : []))
    .flatMap((state) =>
      state.pending.map((approval) => ({
        sessionId: state.sessionId,
        title: state.title,
        repository: state.repository,
        approval,
      })),
    )
    .sort((a, b) => a.approval.requestedAt - b.approval.requestedAt);
}

async function decideOne(
  client: ConnectedClient,
  services: CliServices,
  one: WaitingApproval,
  kind: DecisionKind,
  { reason, print: onlyPrint }: { reason?: string; print?: boolean },
): Promise<number> {
  // The whole text: what was decided must be readable afterwards in the log of whoever called.
  const look = lookOf(services.stderr, services.environment);
  print(
    services,
    approvalCard(one.approval, look, { most: Number.POSITIVE_INFINITY, title: one.title }).lines,
    "stderr",
  );
  const decision = {
    approvalId: one.approval.id,
    decision: kind,
    by: services.person(),
    ...(reason === undefined ? {} : { reason }),
  };
  if (onlyPrint) {
    const words = client.decisionSignal(one.sessionId, decision).map(shellWord);
    services.stdout.write(`temporal ${words.join(" ")}\n`);
    say(services, `nothing is decided yet: the line above ${kind === "allow" ? "allows" : "denies"} this one call.`);
    return exitCodes.answered;
  }
  const outcome = await client.decide(one.sessionId, { ...decision, via: "command" });
  if (outcome.kind === "refused") {
    throw new UserError(`the decision was refused: ${outcome.reason}.`, { next: `tempi show ${one.sessionId}` });
  }
  say(services, `${kind === "allow" ? "allowed once" : "denied"} in ${one.sessionId}: ${short(one.approval)}`);
  return exitCodes.answered;
}

export const short = (approval: Approval): string => `${approval.toolName} ${sanitiseLine(approval.summary)}`;

/** As a POSIX shell reads it back. */
const shellWord = (text: string): string => (/^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
