import type { Approval, Remember } from "../../agent/approval.ts";
import type { Delivery } from "../../protocol/session.ts";
import { cardAnswer, cardDelayMs, type OpenCard } from "./card-keys.ts";
import type { Key } from "./keys.ts";
import { LineEditor } from "./line-editor.ts";

/** What the person wants; `none` = at most the input line changed. */
export type Action =
  | { kind: "none" }
  | { kind: "leave" }
  | { kind: "leaveHint" }
  | { kind: "hint"; text: string }
  | { kind: "stopTurn" }
  | { kind: "send"; text: string; delivery: Delivery }
  | { kind: "decide"; approval: Approval; decision: "allow" | "deny"; remember?: Remember; reason?: string }
  | { kind: "showWhole"; approval: Approval }
  | { kind: "showThinking" }
  | { kind: "redraw" }
  | { kind: "suspend" };

/** The keys of a follower as a state machine without a terminal. Nothing pressed by reflex stops work or answers a card. */
export class Interaction {
  readonly editor = new LineEditor();
  card: OpenCard | undefined;
  /** The line is a reason for denying the card. */
  reasoning = false;
  private leaving = false;
  /**
   * The line holds only keys pressed before the card took any: when the card came, and the last such key. They were meant
   * for what stood there before, or for the card; nobody writes a message so. Kept, they would block the card's keys.
   */
  private stray: { since: number; last: number } | undefined;

  /** The card to answer next; the same one again keeps its age. */
  setCard(approval: Approval | undefined): void {
    if (approval?.id === this.card?.approval.id) return;
    this.card = approval === undefined ? undefined : { approval, hiddenRows: 0, whole: false };
    this.reasoning = false;
    this.stray = undefined;
  }

  /** Called with each drawing: the card's age counts from when it stood there with an empty line. */
  drawn(hiddenRows: number, now: number): void {
    this.dropStray(now);
    if (this.card === undefined || !this.editor.empty || this.reasoning) return;
    this.card.shownAt ??= now;
    this.card.hiddenRows = hiddenRows;
  }

  press(key: Key, now: number): Action {
    const wasLeaving = this.leaving;
    this.leaving = false;
    this.dropStray(now);
    if (key.kind === "key") {
      const action = this.control(key.name, wasLeaving);
      if (action !== undefined) return action;
    } else if (this.editor.empty && !this.reasoning) {
      const action = this.shortcut(key, now);
      if (action !== undefined) return action;
    }
    this.noteStray(key, now);
    this.edit(key);
    if (this.editor.empty) this.stray = undefined;
    return { kind: "none" };
  }

  private noteStray(key: Key, now: number): void {
    const { stray } = this;
    const began = stray?.since ?? (this.editor.empty ? this.card?.shownAt : undefined);
    if (key.kind !== "typed") {
      // Moving and deleting leave the line what it is; what was pasted is meant.
      if (key.kind === "pasted") this.stray = undefined;
    } else if (began === undefined || this.reasoning || now - began >= cardDelayMs) {
      this.stray = undefined;
    } else {
      this.stray = { since: began, last: now };
    }
  }

  /** Only after a pause: who goes on typing writes a message, and its later letters must not answer the card. */
  dropStray(now: number): void {
    const { stray } = this;
    if (stray === undefined || now - stray.last < cardDelayMs) return;
    this.stray = undefined;
    this.editor.clear();
    if (this.card !== undefined) this.card.shownAt = stray.last;
  }

  private control(name: Extract<Key, { kind: "key" }>["name"], wasLeaving: boolean): Action | undefined {
    switch (name) {
      case "ctrlC":
        if (wasLeaving) return { kind: "leave" };
        this.emptyLine();
        this.leaving = true;
        return { kind: "leaveHint" };
      case "ctrlD":
        return this.editor.empty ? { kind: "leave" } : { kind: "none" };
      case "escape":
        if (this.editor.empty && !this.reasoning) return { kind: "stopTurn" };
        this.emptyLine();
        return { kind: "none" };
      case "enter":
        return this.enter("steer");
      case "altEnter":
        return this.enter("followUp");
      case "ctrlL":
        return { kind: "redraw" };
      case "ctrlZ":
        return { kind: "suspend" };
      default:
        return undefined;
    }
  }

  private shortcut(key: Key, now: number): Action | undefined {
    if (this.card === undefined) {
      return key.kind === "typed" && key.text === "v" ? { kind: "showThinking" } : undefined;
    }
    const { approval } = this.card;
    const answer = cardAnswer(this.card, key, now);
    switch (answer.kind) {
      case "allow":
        return { kind: "decide", approval, decision: "allow", ...(answer.remember ? { remember: "session" } : {}) };
      case "deny":
        return { kind: "decide", approval, decision: "deny" };
      case "reason":
        this.reasoning = true;
        return { kind: "none" };
      case "whole":
        this.card.whole = true;
        return { kind: "showWhole", approval };
      case "hint":
        return answer;
      case "none":
        return undefined;
    }
  }

  private enter(delivery: Delivery): Action {
    const text = this.editor.text.trim();
    if (this.reasoning && this.card !== undefined) {
      const { approval } = this.card;
      if (text === "") return { kind: "hint", text: "write a reason, or Esc to go back" };
      this.emptyLine();
      return { kind: "decide", approval, decision: "deny", reason: text };
    }
    // A letter and Enter, as other tools want it, is an answer that does not count: certainly no message.
    if (text !== "" && !(this.stray && text.length === 1)) {
      this.emptyLine();
      return { kind: "send", text, delivery };
    }
    this.emptyLine();
    return this.card === undefined ? { kind: "none" } : { kind: "hint", text: "y allows once, n denies" };
  }

  private edit(key: Key): void {
    this.editor.take(key);
    // While there is text the card is covered: its age starts again when the line is empty.
    if (this.card !== undefined && !this.reasoning) delete this.card.shownAt;
  }

  private emptyLine(): void {
    this.stray = undefined;
    this.editor.clear();
    this.reasoning = false;
    if (this.card !== undefined) delete this.card.shownAt;
  }
}
