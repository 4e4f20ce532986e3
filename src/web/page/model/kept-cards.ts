import type { WaitingApproval } from "../../../client/contract.ts";

/** A card of the overview. `waits` is false once somebody decided: it keeps its place until the person leaves. */
export interface KeptCard extends WaitingApproval {
  waits: boolean;
}

/** Cards keep their place and new ones come below, oldest first, so that nothing moves under a finger. */
export function keepCards(shown: readonly KeptCard[], waiting: readonly WaitingApproval[]): KeptCard[] {
  const now = new Map(waiting.map((one) => [one.approval.id, one]));
  const kept = shown.map((card): KeptCard => {
    const fresh = now.get(card.approval.id);
    now.delete(card.approval.id);
    if (fresh === undefined) return card.waits ? { ...card, waits: false } : card;
    // The same object as long as nothing changed: it is not drawn again.
    return card.waits && card.title === fresh.title ? card : { ...fresh, waits: true };
  });
  const added = [...now.values()].sort((a, b) => a.approval.requestedAt - b.approval.requestedAt);
  return [...kept, ...added.map((one) => ({ ...one, waits: true }))];
}
