import type { WorkflowExecutionDescription } from "@temporalio/client";
import type { SessionEvent } from "../agent/events.ts";
import type { StoredMessage } from "../agent/messages.ts";
import { eventsQuery, type SessionState, stateQuery, workflowIdOf } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { FollowItem } from "./contract.ts";
import { ItemQueue } from "./item-queue.ts";
import { summaryOf } from "./list-sessions.ts";
import { LiveConnection } from "./live-connection.ts";
import { MessageReader } from "./message-reader.ts";
import { retryIn } from "./pending-retry.ts";

const activePollMs = 1_000;
const waitingPollMs = 2_000;
const offlinePollMs = 500;
const queryPatienceMs = 5_000;

/**
 * Follows a session: durable events in order and once each, by query; live text from the worker's socket. Woken by the
 * socket's hints, else by the length of the history. Ends with `closed`, or when `signal` aborts.
 */
export async function* followSession(
  context: ClientContext,
  sessionId: string,
  options: { after?: number; signal: AbortSignal },
): AsyncGenerator<FollowItem> {
  const queue = new ItemQueue<FollowItem>(options.signal);
  const follower = new SessionFollower(context, sessionId, options.after ?? 0, queue);
  void follower.run(options.signal).catch((error) => queue.fail(error));
  try {
    yield* queue.items();
  } finally {
    follower.close();
  }
}

class SessionFollower {
  readonly #context: ClientContext;
  readonly #sessionId: string;
  readonly #queue: ItemQueue<FollowItem>;
  readonly #live: LiveConnection;
  readonly #messages: MessageReader;
  #after: number;
  #offline = false;
  #lastState = "";
  #lastRetry = "";
  #wake: () => void = () => undefined;
  #woken = false;
  #closed = false;

  constructor(context: ClientContext, sessionId: string, after: number, queue: ItemQueue<FollowItem>) {
    this.#context = context;
    this.#sessionId = sessionId;
    this.#after = after;
    this.#queue = queue;
    this.#messages = new MessageReader(context, sessionId);
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
    while (!signal.aborted && !this.#closed) {
      this.#live.ensure();
      const description = await handle.describe();
      const open = description.status.name === "RUNNING";
      const now = `${description.runId}/${description.historyLength}`;
      const hinted = this.#woken;
      this.#woken = false;
      if (hinted || now !== read || this.#offline) {
        if (await this.#read()) read = now;
        else if (!open) return this.#end(description);
      }
      this.#tellRetry(description);
      if (!open && read === now) return this.#end(description);
      await this.#sleep();
    }
    this.#queue.end();
  }

  /** Reads state and new events. False: nobody answered. */
  async #read(): Promise<boolean> {
    const handle = sessionHandle(this.#context, this.#sessionId);
    try {
      await this.#context.client.withDeadline(Date.now() + queryPatienceMs, async () => {
        await this.#readEvents();
        const state = await handle.query(stateQuery);
        if (!("error" in state)) this.#tellState(state);
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
      if (page.first > this.#after + 1 && page.previousRunId) await this.#readEarlierRun(page.previousRunId);
      await this.#tellEvents(page.events, undefined);
      if (this.#after >= page.last || page.events.length === 0) return;
    }
  }

  /** Events of runs before the open one that were not seen yet, oldest first. */
  async #readEarlierRun(runId: string): Promise<void> {
    const handle = this.#context.client.workflow.getHandle(workflowIdOf(this.#sessionId), runId);
    for (;;) {
      const page = await handle.query(eventsQuery, this.#after);
      if ("error" in page) throw new Error(page.error);
      if (page.first > this.#after + 1 && page.previousRunId) await this.#readEarlierRun(page.previousRunId);
      await this.#tellEvents(page.events, runId);
      if (this.#after >= page.last || page.events.length === 0) return;
    }
  }

  async #tellEvents(events: SessionEvent[], runId: string | undefined): Promise<void> {
    for (const event of events) {
      if (event.seq <= this.#after) continue;
      let message: StoredMessage["message"] | undefined;
      if (event.type === "message_end") message = await this.#messages.read(event.messageId, event.index, runId);
      this.#after = event.seq;
      this.#queue.push({ kind: "event", event, ...(message ? { message } : {}) });
    }
  }

  #tellState(state: SessionState): void {
    const text = JSON.stringify(state);
    if (text === this.#lastState) return;
    this.#lastState = text;
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
    const cause = this.#lastState ? (JSON.parse(this.#lastState) as SessionState).cause : undefined;
    this.#queue.push({ kind: "closed", state, ...(cause ? { cause } : {}) });
    this.#queue.end();
  }

  #awake(): void {
    this.#woken = true;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    if (this.#woken || this.#closed) return;
    const waiting = this.#lastState !== "" && (JSON.parse(this.#lastState) as SessionState).state !== "running";
    const pause = this.#offline ? offlinePollMs : waiting ? waitingPollMs : activePollMs;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
