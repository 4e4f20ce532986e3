import { randomUUID } from "node:crypto";
import type { Approval, Remember } from "../../agent/approval.ts";
import type { FollowItem } from "../../client/contract.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import type { FollowControls, FollowEnd, Presenter, PresenterFactory } from "./presenter.ts";
import { exitCodeOf, SessionTracker, type WorkSince } from "./tracker.ts";

/** After a signal off a terminal the turn gets this long to stop. */
const stopGraceMs = 10_000;
/** One signal may come twice: to the group of the process, and passed on by who started it. */
const sameSignalMs = 500;
const settleMs = 5_000;
const confirmMs = 1_500;

export interface FollowOptions {
  sessionId: string;
  /** `ask` = cards on a terminal; `park` = leave when it waits; `deny` = deny and go on. */
  onAsk: "ask" | "park" | "deny";
  /** Last event that is not shown again. */
  after?: number;
  /** What was sent or started: the session counts as at rest only when that has begun. */
  since?: WorkSince;
  presenter: PresenterFactory;
}

/** Follows a session until it rests, waits for somebody who is not here, or the person leaves. Returns the exit code. */
export async function followSession(
  client: ConnectedClient,
  services: CliServices,
  options: FollowOptions,
): Promise<number> {
  const follower = new Follower(client, services, options);
  return follower.run();
}

class Follower {
  private readonly client: ConnectedClient;
  private readonly services: CliServices;
  private readonly options: FollowOptions;
  private readonly tracker: SessionTracker;
  private readonly presenter: Presenter;
  private readonly abort = new AbortController();
  private readonly decided = new Set<string>();
  private readonly background = new Set<Promise<unknown>>();
  private deniedUnasked = 0;
  private end: FollowEnd | undefined;
  private stopTimer: NodeJS.Timeout | undefined;
  private confirmTimer: NodeJS.Timeout | undefined;
  private stoppingSince: number | undefined;
  private wake: () => void = () => {};

  constructor(client: ConnectedClient, services: CliServices, options: FollowOptions) {
    this.client = client;
    this.services = services;
    this.options = options;
    this.tracker = new SessionTracker(options.after ?? 0);
    this.presenter = options.presenter(this.tracker);
  }

  async run(): Promise<number> {
    const offs = [
      this.services.onSignal("SIGINT", () => this.signalled()),
      this.services.onSignal("SIGTERM", () => this.signalled()),
      this.services.onSignal("SIGHUP", () => this.finish("left", exitCodes.left)),
    ];
    try {
      this.presenter.open(this.controls());
      await this.loop();
      await this.settleBackground();
      const end = this.end ?? this.restEnd();
      this.presenter.close(end);
      return end.exitCode;
    } catch (error) {
      this.presenter.close(undefined, error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      for (const off of offs) off();
      clearTimeout(this.stopTimer);
      clearTimeout(this.confirmTimer);
      this.abort.abort();
    }
  }

  /** A decision or a prompt on its way must arrive before the connection closes; an engine that is away may not hold us. */
  private async settleBackground(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, settleMs);
    });
    await Promise.race([Promise.allSettled(this.background), limit]);
    clearTimeout(timer);
  }

  private async loop(): Promise<void> {
    const { sessionId, after } = this.options;
    const items = this.client
      .follow(sessionId, { ...(after === undefined ? {} : { after }), signal: this.abort.signal })
      [Symbol.asyncIterator]();
    let next = items.next();
    // A leaving person must not wait for a stream that hangs; a rejection nobody awaits must not end the process.
    next.catch(() => {});
    for (;;) {
      const woken = new Promise<"woken">((resolve) => {
        this.wake = () => resolve("woken");
      });
      if (this.end !== undefined) return;
      const got = await Promise.race([next, woken]);
      if (got !== "woken") {
        if (got.done) return;
        this.take(got.value);
        next = items.next();
        next.catch(() => {});
      }
      this.check();
    }
  }

  private take(item: FollowItem): void {
    if (this.tracker.take(item)) this.presenter.take(item);
  }

  private check(trusting = false): void {
    const rests = this.tracker.atRest(this.options.since ?? {});
    // What waits is withdrawn by the stop: until then it is no end.
    const mayPark = this.options.onAsk !== "ask" && this.stoppingSince === undefined;
    const waits = !rests && mayPark && this.tracker.waits;
    if (this.end !== undefined || (!rests && !waits)) return;
    if (!this.tracker.confirmed && !trusting) {
      this.checkLater();
    } else if (waits) {
      if (this.options.onAsk === "deny") this.denyAll();
      else this.finish("parked", exitCodes.needsPerson);
    } else if (!this.presenter.busy() || this.tracker.closed) {
      this.end = this.restEnd();
    }
  }

  /** The read that confirms the events normally follows at once; where none comes, the events are believed. */
  private checkLater(): void {
    clearTimeout(this.confirmTimer);
    this.confirmTimer = setTimeout(() => {
      this.check(true);
      this.wake();
    }, confirmMs);
  }

  private restEnd(): FollowEnd {
    const own = exitCodeOf(this.tracker, this.deniedUnasked);
    const exitCode = this.stoppingSince !== undefined && own === exitCodes.answered ? exitCodes.stopped : own;
    return { kind: "rest", exitCode, deniedUnasked: this.deniedUnasked };
  }

  private denyAll(): void {
    for (const approval of this.tracker.pending) {
      if (this.decided.has(approval.id)) continue;
      this.deniedUnasked++;
      this.decide(approval, "deny", { reason: "nobody could answer: denied by --on-ask deny" });
    }
  }

  private controls(): FollowControls {
    return {
      leave: () => this.finish("left", exitCodes.left),
      stopTurn: () => this.stopTurn(),
      send: (text, delivery) =>
        this.later(
          "the message was not sent",
          this.client.send(this.options.sessionId, { id: randomUUID(), text, delivery }),
        ),
      decide: (approval, decision, more) => this.decide(approval, decision, more),
      recheck: () => {
        this.check();
        this.wake();
      },
    };
  }

  private decide(approval: Approval, decision: "allow" | "deny", more: { remember?: Remember; reason?: string }): void {
    this.decided.add(approval.id);
    const by = this.services.person();
    const outcome = this.client.decide(this.options.sessionId, {
      approvalId: approval.id,
      decision,
      by,
      via: "terminal",
      ...more,
    });
    this.later(
      "the decision was not taken",
      outcome.then((result) => {
        if (result.kind === "refused") this.presenter.say(`the decision was refused: ${result.reason}`);
      }),
    );
  }

  private stopTurn(): void {
    this.later("the turn was not stopped", this.client.abort(this.options.sessionId, this.services.person()));
  }

  /** Off a terminal a signal stops the turn; a second one, later, does not wait for it. */
  private signalled(): void {
    const now = this.services.now();
    if (this.options.onAsk === "ask") {
      this.finish("left", exitCodes.left);
    } else if (this.stoppingSince === undefined) {
      this.stoppingSince = now;
      this.presenter.say("stopping the turn");
      this.stopTurn();
      this.stopTimer = setTimeout(() => this.finish("asked", exitCodes.stopped), stopGraceMs);
    } else if (now - this.stoppingSince >= sameSignalMs) {
      this.finish("asked", exitCodes.stopped);
    }
  }

  private finish(kind: FollowEnd["kind"], exitCode: number): void {
    this.end ??= { kind, exitCode, deniedUnasked: this.deniedUnasked };
    this.wake();
  }

  private later(words: string, work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) =>
        this.presenter.say(`${words}: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => this.background.delete(done));
    this.background.add(done);
  }
}
