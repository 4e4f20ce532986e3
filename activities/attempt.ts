import { activityInfo, Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { workerGoneFailure } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { type ActivityServices, type LiveSource, WorkerShutdown } from "./services.ts";

export interface Attempt {
  signal: AbortSignal;
  live: LiveSource;
  /** 1 for the first try. */
  number: number;
}

/**
 * Runs one attempt: heartbeats from the first line on (with the tail of its output, every 2 s), hears of cancellation by
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
  const beat = () => context.heartbeat({ tail: live.tail().slice(-2_000) });
  beat();
  const timer = setInterval(beat, limits.heartbeatDetailsMs);
  const running = services.attempts.begin({ runId: workflowExecution!.runId, activityId, taskToken });
  const signal = AbortSignal.any([context.cancellationSignal, running.signal]);
  try {
    return await work({ signal, live, number });
  } catch (error) {
    if (running.signal.reason instanceof WorkerShutdown) throw workerGone();
    throw error;
  } finally {
    clearInterval(timer);
    running.end();
    live.done();
  }
}

/** Tried again by another worker at once, and counted against nobody. */
export const workerGone = (): ApplicationFailure =>
  ApplicationFailure.create({
    type: workerGoneFailure,
    message: "the worker went away; another one goes on",
    nextRetryDelay: 100,
  });
