import type { DecideSignal } from "./session.ts";

/** The exact text that a decision's proof signs (HMAC-SHA256, hex). `args` as canonical JSON, so edited arguments are covered. */
export const proofText = (decision: Omit<DecideSignal, "proof" | "id">): string =>
  JSON.stringify([
    "tempi-decision-1",
    decision.approvalId,
    decision.decision,
    decision.remember === true,
    decision.args ?? null,
    decision.reason ?? "",
    decision.by,
  ]);

/** The exact text that a change of the approval level is signed with: less asking is a decision too. */
export const configureProofText = (sessionId: string, signalId: string, approval: string): string =>
  JSON.stringify(["tempi-configure-1", sessionId, signalId, approval]);
