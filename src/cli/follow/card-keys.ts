import type { Approval } from "../../agent/approval.ts";
import type { Key } from "./keys.ts";

/** A card takes no key before it stood this long: what was typed ahead must not answer it. */
export const cardDelayMs = 700;

export interface OpenCard {
  approval: Approval;
  /** When it came on screen with an empty input line; undefined = it is not on screen. */
  shownAt?: number;
  /** Rows that are not shown; allowing waits until `whole`. */
  hiddenRows: number;
  /** The person saw the whole text. */
  whole: boolean;
}

export type CardAnswer =
  | { kind: "allow"; remember: boolean }
  | { kind: "deny" }
  /** Asks for a reason, then denies. */
  | { kind: "reason" }
  | { kind: "whole" }
  | { kind: "hint"; text: string }
  /** Not for the card. */
  | { kind: "none" };

/** What a key means to a card. Only the single keystrokes y a n r v answer; Enter, Space and paste never do. */
export function cardAnswer(card: OpenCard, key: Key, now: number): CardAnswer {
  if (key.kind !== "typed" || key.text.length !== 1) return { kind: "none" };
  if (card.shownAt === undefined || now - card.shownAt < cardDelayMs) return { kind: "none" };
  switch (key.text) {
    case "y":
    case "a":
      if (card.hiddenRows > 0 && !card.whole) return { kind: "hint", text: "a part is not shown yet: press v first" };
      if (key.text === "a" && card.approval.rememberText === undefined) {
        return { kind: "hint", text: "this one cannot be remembered: y allows it once" };
      }
      return { kind: "allow", remember: key.text === "a" };
    case "n":
      return { kind: "deny" };
    case "r":
      return { kind: "reason" };
    case "v":
      return { kind: "whole" };
    case " ":
      return { kind: "hint", text: "y allows once, n denies" };
    default:
      return { kind: "none" };
  }
}
