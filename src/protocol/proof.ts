import type { ConfigureSignal, DecideSignal } from "./session.ts";

/** The exact text that a decision's proof signs (HMAC-SHA256, hex). `args` as canonical JSON, so edited arguments are covered. */
export const proofText = (decision: Omit<DecideSignal, "proof" | "id">): string =>
  JSON.stringify([
    "tempi-decision-1",
    decision.approvalId,
    decision.decision,
    decision.remember ?? "",
    decision.args ?? null,
    decision.reason ?? "",
    decision.by,
    decision.via ?? "",
  ]);

/** The exact text that a change of approval level or model is signed with: less asking, and where everything is sent, are decisions too. */
export const configureProofText = (
  sessionId: string,
  { id, approval, model }: Omit<ConfigureSignal, "proof">,
): string =>
  JSON.stringify([
    "tempi-configure-1",
    sessionId,
    id,
    approval ?? null,
    model ? [model.provider, model.model, model.baseUrl ?? "", model.keyVariable ?? ""] : null,
  ]);
