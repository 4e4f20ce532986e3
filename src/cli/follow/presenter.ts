import type { Approval, Remember } from "../../agent/approval.ts";
import type { FollowItem } from "../../client/contract.ts";
import type { Delivery } from "../../protocol/session.ts";
import type { SessionTracker } from "./tracker.ts";

/** What a presenter may ask of the follower; all of it goes on in the background. */
export interface FollowControls {
  leave(): void;
  stopTurn(): void;
  send(text: string, delivery: Delivery): void;
  decide(approval: Approval, decision: "allow" | "deny", options: { remember?: Remember; reason?: string }): void;
  /** Looks again whether the follower may end. */
  recheck(): void;
}

export interface FollowEnd {
  /**
   * `parked`: it waits for a person who is not here. `left`: the person went, the session goes on. `asked`: it was asked
   * to stop and did not confirm it in time.
   */
  kind: "rest" | "parked" | "left" | "asked";
  exitCode: number;
  /** Calls denied here because nobody could answer. */
  deniedUnasked: number;
}

/** Shows a session in one way: on a terminal, piped, or as JSON. */
export interface Presenter {
  open(controls: FollowControls): void;
  take(item: FollowItem): void;
  /** True while the person is in the middle of something: the follower then does not end by itself. */
  busy(): boolean;
  /** Something to say that is no event: a refused decision, a failed send. */
  say(text: string): void;
  /** Always called once, also after an error (then without an end, with its text). Puts the terminal back. */
  close(end: FollowEnd | undefined, failure?: string): void;
}

export type PresenterFactory = (tracker: SessionTracker) => Presenter;
