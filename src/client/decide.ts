import { createHmac, randomUUID } from "node:crypto";
import { decisionKeyOf, type Home } from "../config/home.ts";
import { configureProofText, proofText } from "../protocol/proof.ts";
import {
  type ConfigureSignal,
  type DecideSignal,
  decideSignal,
  eventsQuery,
  workflowIdOf,
} from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { DecideOutcome, Decision } from "./contract.ts";
import { stateOf } from "./session-state.ts";

const patienceMs = 20_000;

/** A decision with its id and proof. */
export function signDecision(home: Home, decision: Omit<DecideSignal, "id" | "proof">): DecideSignal {
  return { ...decision, id: randomUUID(), proof: sign(home, proofText(decision)) };
}

/** Arguments of the Temporal CLI that send the decision as a signal. */
export function decisionSignal(
  { client, address, home }: ClientContext,
  sessionId: string,
  decision: Decision,
): string[] {
  const signed = signDecision(home, { ...decision, via: "signal" });
  return [
    ...["workflow", "signal", "--address", address],
    ...["--namespace", client.options.namespace, "--workflow-id", workflowIdOf(sessionId)],
    ...["--name", decideSignal.name, "--input", JSON.stringify(signed)],
  ];
}

/** A change of settings with its id; signed where it changes how much is asked or which model. */
export function signConfigure(
  { home }: ClientContext,
  sessionId: string,
  changes: Omit<ConfigureSignal, "id" | "proof">,
): ConfigureSignal {
  const id = randomUUID();
  const proof =
    changes.approval || changes.model ? { proof: sign(home, configureProofText(sessionId, { ...changes, id })) } : {};
  return { ...changes, id, ...proof };
}

const sign = (home: Home, text: string): string =>
  createHmac("sha256", Buffer.from(decisionKeyOf(home), "hex"))
    .update(text)
    .digest("hex");

/** Signs, signals, and waits until the session says what came of it. Throws when it says nothing: then the outcome is unknown. */
export async function decide(
  context: ClientContext,
  sessionId: string,
  decision: Omit<DecideSignal, "id" | "proof">,
): Promise<DecideOutcome> {
  const handle = sessionHandle(context, sessionId);
  const state = await stateOf(context, sessionId);
  if (!state.pending.some(({ id }) => id === decision.approvalId)) {
    return { kind: "refused", reason: "no such approval waits: it is unknown, or was decided or withdrawn before" };
  }
  await handle.signal(decideSignal, signDecision(context.home, decision));
  const until = Date.now() + patienceMs;
  for (let after = state.lastEvent; Date.now() < until; ) {
    const page = await handle.query(eventsQuery, after);
    if ("error" in page) throw new Error(page.error);
    for (const event of page.events) {
      after = event.seq;
      if (event.type === "decision_refused" && event.approvalId === decision.approvalId && event.by === decision.by) {
        return { kind: "refused", reason: event.reason };
      }
      if (event.type !== "approval_resolved" || event.approvalId !== decision.approvalId) continue;
      if (event.by === decision.by && event.decision === decision.decision) return { kind: "accepted" };
      return { kind: "refused", reason: `it was decided before: ${event.decision} by ${event.by}` };
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error("the session did not say whether it took the decision; look at it before you decide again");
}
