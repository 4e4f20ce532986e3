import {
  CancellationScope,
  ContinueAsNew,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { AgentEndReason } from "../src/agent/events.ts";
import { type LoopState, runAgentLoop } from "../src/agent/loop.ts";
import { limits } from "../src/protocol/limits.ts";
import {
  type CarriedState,
  eventsQuery,
  type SessionInput,
  type SessionResult,
  type SessionState,
  stateQuery,
  transcriptQuery,
} from "../src/protocol/session.ts";
import { Approvals } from "./approvals.ts";
import type { DecodedSignal } from "./decode-signal.ts";
import { durationText } from "./duration-text.ts";
import { endState } from "./end-state.ts";
import { guarded } from "./guarded.ts";
import { Inbox } from "./inbox.ts";
import { loopPorts } from "./loop-ports.ts";
import { Prompts } from "./prompts.ts";
import { SessionRecord } from "./session-record.ts";
import { Settings } from "./session-settings.ts";
import { carriedState, type SessionParts, sessionState, waitingCause } from "./session-state.ts";
import { Teller } from "./teller.ts";
import { TimeLimit } from "./time-limit.ts";
import { TurnAbort } from "./turn-abort.ts";

/** A coding session: prompts come by signal, each is worked on in turns, what needs a person waits here. */
export async function session(input: SessionInput): Promise<SessionResult> {
  const running = new Session(input);
  // Cancel in the Temporal UI means the same as `tempi stop --end`: an orderly end, never a torn turn.
  CancellationScope.current().cancelRequested.catch(() => running.end("a person, in the Temporal UI"));
  return await CancellationScope.nonCancellable(() => running.run());
}

class Session {
  readonly #input: SessionInput;
  readonly #record: SessionRecord;
  readonly #inbox: Inbox;
  readonly #prompts: Prompts;
  readonly #approvals: Approvals;
  readonly #settings: Settings;
  readonly #loop: LoopState;
  readonly #startedAt = Date.now();
  /** Of the first run. */
  readonly #sessionStartedAt: number;
  #abort = new TurnAbort();
  #timeLimit: TimeLimit | undefined;
  readonly #teller: Teller;
  /** Of the present piece of work. */
  #workedSince = 0;
  #working = false;
  #retries = 0;
  /** Decisions and changes being checked; settled before the run closes or goes on elsewhere. */
  #checks: Promise<void> = Promise.resolve();
  #finish: string | undefined;
  #resume: boolean;
  /** Work stopped short: what was queued before stays queued until a person sends something new. */
  #held = false;

  constructor(input: SessionInput) {
    const carried = input.previous?.carried;
    this.#input = input;
    this.#sessionStartedAt = carried?.startedAt ?? this.#startedAt;
    this.#inbox = new Inbox(carried?.seenSignals ?? []);
    this.#record = new SessionRecord(input);
    this.#teller = new Teller(input, this.#record);
    this.#settings = new Settings(input, this.#record);
    this.#prompts = new Prompts(carried?.queue ?? [], () => this.#settings.now.queue ?? "one");
    this.#approvals = new Approvals(this.#record, input.cwd, [...(carried?.remembered ?? [])], () =>
      this.#showWaiting(),
    );
    this.#loop = { turn: carried?.turn ?? 0, turnsThisPrompt: carried?.turnsThisPrompt ?? 0 };
    if (carried?.repeated) this.#loop.repeated = carried.repeated;
    if (carried?.goOn !== undefined) this.#loop.goOn = carried.goOn;
    if (carried?.checkFailed) this.#loop.checkFailed = carried.checkFailed;
    this.#resume = carried?.turnsThisPrompt !== undefined;
    setHandler(stateQuery, () => guarded(() => this.#state()), { description: "State of the session" });
    setHandler(eventsQuery, (after) => guarded(() => this.#record.eventsAfter(Number(after) || 0)));
    setHandler(transcriptQuery, (from) => guarded(() => this.#record.transcriptFrom(Number(from) || 0)));
  }

  async run(): Promise<SessionResult> {
    void this.#inbox.pump(
      (signal) => this.#take(signal),
      (text) => this.#notice(text),
    );
    try {
      while (await this.#nextWork()) await this.#work();
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      this.#fail(error);
    }
    await this.#teller.settled();
    if (this.#finish) this.#setState("ended", `ended by ${this.#finish}`);
    return { v: 1, sessionId: this.#input.sessionId, carried: this.#carried() };
  }

  end(by: string): void {
    this.#finish ??= by;
    this.#stop(by);
  }

  /** Waits for something to do. False: the run closes. */
  async #nextWork(): Promise<boolean> {
    const due = () => (this.#prompts.length > 0 && !this.#held) || this.#resume || this.#finish !== undefined;
    // The first prompt comes with the start, so an empty new run waits like an idle one.
    const worked = this.#record.lastEndReason !== undefined;
    const patience = worked ? this.#input.closeAfterMs : limits.closeAfterMs;
    if (!due() && patience > 0) await condition(due, patience);
    // A signal may have come in the very task that ends the wait.
    if (!this.#inbox.empty) await condition(() => this.#inbox.empty);
    await this.#checks;
    return this.#finish === undefined && due();
  }

  async #work(): Promise<void> {
    const resume = this.#resume;
    this.#resume = false;
    this.#abort = new TurnAbort();
    if (!resume) {
      await this.#continueIfLong(false);
      // Signals were read meanwhile: what was stopped or ended before it began does not begin.
      if (this.#held || this.#finish !== undefined) return;
    }
    this.#working = true;
    if (!resume) this.#workedSince = Date.now();
    this.#setState("running");
    this.#watchTime(resume ? this.#input.previous?.carried.timeoutAt : undefined);
    try {
      const ports = loopPorts({
        input: this.#input,
        record: this.#record,
        prompts: this.#prompts,
        approvals: this.#approvals,
        abort: this.#abort,
        settings: this.#settings.now,
        loop: this.#loop,
        startedAt: this.#sessionStartedAt,
        date: new Date(workflowInfo().startTime).toISOString().slice(0, 10),
        showWaiting: () => this.#showWaiting(),
        block: (cause, next, notify) => this.#block(cause, next, notify),
        prepareNextTurn: () => this.#continueIfLong(true),
        limitReached: () => (this.#timeLimit?.up ? { reason: "timeout", errorMessage: this.#abort.by! } : undefined),
        teller: this.#teller,
      });
      const { reason, errorMessage } = await runAgentLoop(
        ports,
        this.#loop,
        {
          maxTurns: this.#settings.now.maxTurns,
          callsPerAnswer: limits.callsPerAnswer,
          parallelCalls: limits.parallelCalls,
          repeatedFailuresStop: limits.repeatedFailuresStop,
        },
        resume,
      );
      this.#showEnd(reason, errorMessage);
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      this.#fail(error);
    } finally {
      this.#timeLimit?.stop();
      this.#working = false;
    }
  }

  /** `at`: when the run before, which this one goes on from, would have stopped. */
  #watchTime(at: number | undefined): void {
    const { timeoutMs } = this.#settings.now;
    this.#timeLimit = undefined;
    if (timeoutMs === undefined) return;
    const why = `the time limit of ${durationText(timeoutMs)} is reached`;
    this.#timeLimit = new TimeLimit(at ?? Date.now() + timeoutMs, () => this.#stop(why));
  }

  #showEnd(reason: AgentEndReason, errorMessage?: string): void {
    if (reason !== "answered" && reason !== "terminated" && reason !== "aborted") this.#held = true;
    this.#setState(...endState(this.#input.sessionId, reason, errorMessage, this.#abort.by));
    // Who stopped it knows, and so does who still looks at what was quick.
    const worthTelling = reason !== "aborted" && Date.now() - this.#workedSince >= limits.quickWorkMs;
    if (this.#record.notifies && worthTelling) this.#teller.ended(this.#record.state, this.#record.cause);
  }

  /** Anything unexpected becomes a state with a name; the conversation stays usable. */
  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#record.lastEndReason = "failed";
    this.#record.running.clear();
    this.#held = true;
    this.#setState("failed", `unexpected fault in tempi: ${text.slice(0, 2_000)}`, "tempi doctor --report");
  }

  /**
   * Goes on in a new run before the history grows too long. Only where nothing is open: between turns (`inWork`), or before
   * queued prompts are worked on.
   */
  async #continueIfLong(inWork: boolean): Promise<void> {
    const { historySize, historyLength } = workflowInfo();
    const mostEvents = this.#input.continueAsNewEvents ?? limits.continueAsNewEvents;
    if (historySize < limits.continueAsNewBytes && historyLength < mostEvents) return;
    if (!this.#inbox.empty) await condition(() => this.#inbox.empty);
    await this.#checks;
    if ((inWork ? this.#abort.aborted : this.#held) || this.#finish !== undefined) return;
    const { turnsThisPrompt, goOn = false, checkFailed } = this.#loop;
    const timeoutAt = this.#timeLimit?.at;
    const inTheMiddle = { turnsThisPrompt, goOn, ...(checkFailed && { checkFailed }), ...(timeoutAt && { timeoutAt }) };
    const carried: CarriedState = { ...this.#carried(), ...(inWork ? inTheMiddle : {}) };
    await continueAsNew<typeof session>({
      ...this.#input,
      title: this.#settings.title,
      previous: { runId: this.#record.runId, carried },
    });
  }

  async #block(cause: string, next: string | undefined, notify: boolean): Promise<boolean> {
    const before = this.#retries;
    const retry = `tempi retry ${this.#input.sessionId}`;
    const mends = !next ? retry : next.includes("tempi retry") ? next : `${next}, then ${retry}`;
    this.#setState("blocked", cause, mends);
    if (notify) this.#teller.blocked(cause, mends);
    await condition(() => this.#retries > before || this.#abort.aborted);
    if (this.#abort.aborted) return false;
    this.#setState("running");
    return true;
  }

  #take({ name, payload }: DecodedSignal): void {
    if (name === "prompt") {
      this.#held = false;
      if (!this.#prompts.add(payload)) this.#notice("a prompt was refused: the queue is full");
    } else if (name === "decide") this.#inTurn("a decision", () => this.#approvals.decide(payload));
    else if (name === "abort") this.#stop(payload.by);
    else if (name === "finish") this.end(payload.by);
    else if (name === "retry") this.#retries += 1;
    else {
      this.#approvals.forget(payload.forget ?? []);
      this.#inTurn("a change of settings", () => this.#settings.configure(payload));
    }
  }

  #stop(by: string): void {
    this.#held = true;
    if (!this.#working) {
      // What was queued but not begun does not begin.
      if (this.#prompts.length > 0)
        this.#setState("stopped", `stopped by ${by}`, `tempi send ${this.#input.sessionId} "…"`);
      return;
    }
    this.#abort.abort(by);
    this.#approvals.withdraw(by);
  }

  /** One after another in the order of the signals, so that the first valid decision is the first that was sent. */
  #inTurn(what: string, check: () => Promise<void>): void {
    this.#checks = this.#checks.then(check).catch((error) => this.#notice(`${what} could not be checked: ${error}`));
  }

  #notice(text: string): void {
    this.#record.emit({ type: "notice", text: text.slice(0, 500) });
  }

  #setState(...[state, cause, next]: Parameters<SessionRecord["setState"]>): void {
    this.#record.setState(state, cause, next);
    this.#record.publish(this.#approvals.open());
  }

  #showWaiting(): void {
    if (this.#record.state !== "running" && this.#record.state !== "waiting") return;
    const open = this.#approvals.open();
    if (open.length > 0) this.#setState("waiting", waitingCause(open), `tempi approve ${this.#input.sessionId}`);
    else this.#setState("running");
  }

  #carried(): CarriedState {
    return carriedState(this.#parts(), this.#loop, this.#inbox.seen, this.#sessionStartedAt);
  }

  #state(): SessionState {
    return sessionState(this.#parts(), this.#loop.turn, this.#startedAt);
  }

  #parts(): SessionParts {
    const parts = { approvals: this.#approvals, prompts: this.#prompts, settings: this.#settings };
    return { input: this.#input, record: this.#record, ...parts };
  }
}
