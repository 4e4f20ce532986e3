import { activityInfo, Context } from "@temporalio/activity";
import type { ApplicationFailure } from "@temporalio/common";
import { workerGoneFailure } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { type ActivityServices, type LiveSource, WorkerShutdown } from "./services.ts";
import { withoutStack } from "./without-stack.ts";

export interface Attempt {
  signal: AbortSignal;
  live: LiveSource;
  /** 1 for the first try. */
  number: number;
}

/**
 * Runs one attempt: heartbeats every 2 s with the tail of its output, hears of cancellation by
 * heartbeat or sooner by the workflow's hint, and of the worker's shutdown, after which the engine tries again elsewhere.
 */
export async function runAttempt<T>(
  services: ActivityServices,
  sessionId: string,
  source: string,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { activityId, attempt: number, taskToken, workflowExecution } = activityInfo();
  const live = services.live.open(sessionId, source, number);
  // The engine's time-out counts from the start of the attempt, and each beat is a synced write of the server: an attempt
  // shorter than the beat needs none.
  const timer = setInterval(() => context.heartbeat({ tail: live.tail() }), limits.heartbeatDetailsMs);
  const running = services.attempts.begin({ runId: workflowExecution!.runId, activityId, taskToken });
  const engine = new AbortController();
  // Only a person's cancellation stops the work. An attempt that the engine gave up (this process slept, another one took over,
  // someone paused or reset it) leaves its command to the next attempt.
  const onCancel = () =>
    engine.abort(
      context.cancellationDetails?.cancelRequested ? context.cancellationSignal.reason : new WorkerShutdown(),
    );
  if (context.cancellationSignal.aborted) onCancel();
  else context.cancellationSignal.addEventListener("abort", onCancel, { once: true });
  const signal = AbortSignal.any([engine.signal, running.signal]);
  try {
    return await work({ signal, live, number });
  } catch (error) {
    if (signal.reason instanceof WorkerShutdown) throw workerGone();
    throw error;
  } finally {
    clearInterval(timer);
    running.end();
    live.done();
  }
}

/**
 * Waits for something that only reads, no longer than this worker is there: what is read may have to be asked of a worker, and
 * while this one leaves there is no other to answer. Whatever has an effect is never left behind like this.
 */
export async function whileHere<T>(signal: AbortSignal, reading: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const gone = new Promise<never>((_resolve, reject) => {
    const look = () => signal.reason instanceof WorkerShutdown && reject(workerGone());
    if (signal.aborted) look();
    else signal.addEventListener("abort", look, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([reading, gone]);
  } finally {
    ended.abort();
  }
}

/** Tried again by another worker at once, and counted against nobody. */
export const workerGone = (): ApplicationFailure =>
  withoutStack({
    type: workerGoneFailure,
    message: "the worker went away; another one goes on",
    nextRetryDelay: 100,
  });
