import { proxySinks, type Sinks } from "@temporalio/workflow";

/** Hints to the worker that hosts this run. Best effort: nothing may depend on them. */
export interface LiveSinks extends Sinks {
  live: {
    /** There are events up to `last`. */
    changed(sessionId: string, last: number): void;
    /** These activities were cancelled: the worker need not wait for a heartbeat to learn it. */
    cancelled(activityIds: string[]): void;
  };
}

export const { live } = proxySinks<LiveSinks>();
