import { signal } from "@preact/signals";
import type { DecideAnswer, DecideRequest } from "../../api.ts";
import { failureText, post } from "./api.ts";
import { me } from "./enter.ts";

/** What became of a decision this page sent. `refused`: it did not count; the card may still wait. */
export interface SentDecision {
  kind: "sending" | "taken" | "refused";
  words: string;
}

/** By approval id, for all cards on the page. */
export const decisions = signal<ReadonlyMap<string, SentDecision>>(new Map());

function note(approvalId: string, decision: SentDecision): void {
  decisions.value = new Map(decisions.value).set(approvalId, decision);
}

/** The person changes what was refused: what was said of it does not count any more. */
export function forgetRefusal(approvalId: string): void {
  if (decisions.value.get(approvalId)?.kind !== "refused") return;
  const left = new Map(decisions.value);
  left.delete(approvalId);
  decisions.value = left;
}

export async function decide(sessionId: string, request: DecideRequest): Promise<void> {
  const { approvalId } = request;
  if (decisions.value.get(approvalId)?.kind === "sending") return;
  note(approvalId, { kind: "sending", words: "sending…" });
  try {
    const answer = await post<DecideAnswer | undefined, DecideRequest>(`/api/sessions/${sessionId}/decide`, request);
    note(approvalId, { kind: "taken", words: takenWords(request, answer) });
  } catch (error) {
    note(approvalId, { kind: "refused", words: failureText(error) });
  }
}

function takenWords({ decision, args, remember, reason }: DecideRequest, answer: DecideAnswer | undefined): string {
  const by = ` by ${me.value?.name ?? "you"}`;
  if (decision === "deny") return `denied${by}${reason ? `: ${reason}` : ""}`;
  const how = args ? " with changed arguments" : "";
  // Only this once, then.
  if (answer?.ruleError !== undefined) return `${answer.ruleError}; allowed this once${by}`;
  const rule = answer?.rule;
  const long = remember === undefined ? "" : remember === "session" ? ", for this session" : ", in this repository";
  return `allowed${how}${by}${long}${rule ? ` (${rule})` : ""}`;
}
