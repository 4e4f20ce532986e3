import { isDeepStrictEqual } from "node:util";
import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from "@temporalio/client";
import type { SessionEvent } from "../agent/events.ts";
import { type EventsPage, eventsQuery, type SessionState, stateQuery, workflowIdOf } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { FollowItem, FollowOptions } from "./contract.ts";
import { ItemQueue } from "./item-queue.ts";
import { summaryOf } from "./list-sessions.ts";
import { LiveConnection } from "./live-connection.ts";
import { retryIn } from "./pending-retry.ts";
import { eventItems } from "./session-events.ts";

const activePollMs = 1_000;
const waitingPollMs = 2_000;
const offlinePollMs = 500;
const queryPatienceMs = 5_000;
/** Each after the open run answered, so a worker was there. */
const earlierRunTries = 5;
/** Hints that come in a burst are answered together. */
const burstMs = 100;
const changesState = new Set<SessionEvent["type"]>([
  "state_changed",
  "approval_requested",
  "approval_resolved",
  "agent_end",
  "configured",
]);

/**
 * Follows a session: durable events in order and once each, by query; live text from the worker's socket. Woken by the
 * socket's hints, else by the length of the history. Ends with `closed`, or when `signal` aborts.
 */
export async function* followSession(
  context: ClientContext,
  sessionId: string,
  options: FollowOptions,
): AsyncGenerator<FollowItem> {
  const queue = new ItemQueue<FollowItem>(options.signal);
  const follower = new SessionFollower(context, sessionId, options, queue);
  // A call under way when the reader leaves is cancelled, and `close` of the client waits for that.
  const calls = new AbortController();
  const running = context.client
    .withAbortSignal(calls.signal, () => follower.run(options.signal))
    .catch((error) => queue.fail(error));
  context.background.add(running);
  void running.then(() => context.background.delete(running));
  try {
    yield* queue.items();
  } finally {
    follower.close();
    calls.abort();
  }
}

class SessionFollower {
  readonly #context: ClientContext;
  readonly #sessionId: string;
  readonly #queue: ItemQueue<FollowItem>;
  readonly #live: LiveConnection;
  #after: number;
  /** The first page tells where it begins. */
  #newestRun: boolean;
  /** Somebody wakes it: at rest it does not look by itself. */
  readonly #isWoken: boolean;
  #offline = false;
  #lastState: SessionState | undefined;
  /** Events that change the state were told, and the state was not read since: an outage may lie between. */
  #stateIsOld = true;
  #earlierRunFailures = 0;
  #lastRetry = "";
  #wake: () => void = () => undefined;
  #woken = false;
  /** A hint was answered without asking the engine: whether the run closed is not known. */
  #owesLook = false;
  #closed = false;

  constructor(context: ClientContext, sessionId: string, options: FollowOptions, queue: ItemQueue<FollowItem>) {
    this.#context = context;
    this.#sessionId = sessionId;
    this.#after = options.after ?? 0;
    this.#newestRun = options.newestRun === true && options.after === undefined;
    this.#isWoken = options.onWake !== undefined;
    options.onWake?.(() => this.#awake());
    this.#queue = queue;
    this.#live = new LiveConnection({
      home: context.home,
      sessionId,
      onMessage: (message) => {
        if (message.type === "frame") this.#queue.push({ kind: "live", frame: message });
        else this.#awake();
      },
      onWorkerChanged: () => this.#queue.push({ kind: "workerRestarted" }),
    });
  }

  close(): void {
    this.#closed = true;
    this.#live.close();
    this.#awake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const handle = sessionHandle(this.#context, this.#sessionId);
    let read = "";
    let looked = 0;
    while (!signal.aborted && !this.#closed) {
      this.#live.ensure();
      const hinted = this.#woken;
      this.#woken = false;
      // A hint is followed by one query; the engine itself is asked once per poll.
      this.#owesLook = hinted && Date.now() - looked < activePollMs && !this.#offline;
      if (this.#owesLook) await this.#read();
      else {
        looked = Date.now();
        const description = await this.#describe(handle);
        if (!description) {
          await this.#sleep();
          continue;
        }
        const open = description.status.name === "RUNNING";
        const now = `${description.runId}/${description.historyLength}`;
        if (hinted || now !== read || this.#offline) {
          if (await this.#read()) read = now;
          else if (!open) return this.#end(description);
        }
        this.#tellRetry(description);
        if (!open && read === now) return this.#end(description);
      }
      await this.#sleep();
    }
    this.#queue.end();
  }

  /** Undefined while the server does not answer: its data is safe, so the follower waits. */
  async #describe(handle: ReturnType<typeof sessionHandle>): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await handle.describe();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || this.#closed) throw error;
      if (!this.#offline) this.#queue.push({ kind: "offline", offline: true, why: firstLine(error) });
      this.#offline = true;
      return undefined;
    }
  }

  /** Reads new events, and the state where they changed it. False: nobody answered. */
  async #read(): Promise<boolean> {
    const handle = sessionHandle(this.#context, this.#sessionId);
    try {
      await this.#context.client.withDeadline(Date.now() + queryPatienceMs, async () => {
        await this.#readEvents();
        if (!this.#stateIsOld) return;
        const state = await handle.query(stateQuery);
        if ("error" in state) return;
        this.#stateIsOld = false;
        this.#tellState(state);
      });
    } catch (error) {
      if (!this.#offline) this.#queue.push({ kind: "offline", offline: true, why: firstLine(error) });
      this.#offline = true;
      return false;
    }
    if (this.#offline) this.#queue.push({ kind: "offline", offline: false });
    this.#offline = false;
    return true;
  }

  async #readEvents(): Promise<void> {
    for (;;) {
      const page = await sessionHandle(this.#context, this.#sessionId).query(eventsQuery, this.#after);
      if ("error" in page) throw new Error(page.error);
      if (this.#newestRun) this.#begin(page);
      if (page.last < this.#after) this.#resync(page, "the session was reset to an earlier point");
      if (page.first > this.#after + 1 && page.previousRunId) await this.#tryEarlierRun(page);
      await this.#tellEvents(page);
      if (this.#after >= page.last || page.events.length === 0) return;
    }
  }

  /**
   * A run that cannot be asked any more (deleted, terminated before it began, of another version) must not stop the rest. One that
   * does not answer for now, because its worker just died, is asked again.
   */
  async #tryEarlierRun(page: EventsPage): Promise<void> {
    try {
      await this.#readEarlierRun(page.previousRunId!);
      this.#earlierRunFailures = 0;
    } catch (error) {
      this.#earlierRunFailures += 1;
      const mayPass = error instanceof ServiceError || isGrpcServiceError(error);
      if (mayPass && this.#earlierRunFailures < earlierRunTries) throw error;
      this.#earlierRunFailures = 0;
      this.#resync(page, `an earlier part of the session cannot be read: ${firstLine(error)}`);
    }
  }

  #begin({ first }: EventsPage): void {
    this.#newestRun = false;
    this.#after = first - 1;
    this.#queue.push({ kind: "begin", first });
  }

  #resync({ first }: EventsPage, why: string): void {
    this.#after = first - 1;
    this.#queue.push({ kind: "resync", why });
  }

  /** Events of runs before the open one that were not seen yet, oldest first. */
  async #readEarlierRun(runId: string): Promise<void> {
    const handle = this.#context.client.workflow.getHandle(workflowIdOf(this.#sessionId), runId);
    for (;;) {
      const page = await handle.query(eventsQuery, this.#after);
      if ("error" in page) throw new Error(page.error);
      if (page.first > this.#after + 1 && page.previousRunId) await this.#readEarlierRun(page.previousRunId);
      await this.#tellEvents(page);
      if (this.#after >= page.last || page.events.length === 0) return;
    }
  }

  async #tellEvents(page: EventsPage): Promise<void> {
    for (const item of await eventItems(this.#context, this.#sessionId, page)) {
      if (item.event.seq <= this.#after) continue;
      this.#after = item.event.seq;
      this.#stateIsOld ||= changesState.has(item.event.type);
      this.#queue.push(item);
    }
  }

  #tellState(state: SessionState): void {
    if (isDeepStrictEqual(state, this.#lastState)) return;
    this.#lastState = state;
    this.#queue.push({ kind: "state", state });
  }

  #tellRetry(description: WorkflowExecutionDescription): void {
    const retry = retryIn(description.raw);
    const text = retry ? JSON.stringify(retry) : "";
    if (retry && text !== this.#lastRetry) this.#queue.push({ kind: "retrying", ...retry });
    this.#lastRetry = text;
  }

  #end(description: WorkflowExecutionDescription): void {
    const { state } = summaryOf(description);
    const cause = this.#lastState?.cause;
    this.#queue.push({ kind: "closed", state, ...(cause ? { cause } : {}) });
    this.#queue.end();
  }

  #awake(): void {
    this.#woken = true;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    if (this.#closed) return;
    if (this.#woken) return await new Promise((resolve) => setTimeout(resolve, burstMs));
    const waiting = this.#lastState !== undefined && this.#lastState.state !== "running";
    const pause = this.#offline ? offlinePollMs : waiting ? waitingPollMs : activePollMs;
    const looksItself = this.#offline || !waiting || !this.#isWoken || this.#owesLook;
    await new Promise<void>((resolve) => {
      const timer = looksItself ? setTimeout(resolve, pause) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
