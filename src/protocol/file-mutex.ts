import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";

/** The lock of one file of one machine. Its id is a hash: a path is a user's text and has no place in an id. */
export const fileMutexWorkflowType = "fileMutex";

/** Who wants or has the lock: one call of a session. A further attempt of the call is the same holder. */
export interface LockRequest {
  /** `<run id>/<activity id>`: the same for each attempt of a call. */
  id: string;
  workflowId: string;
  runId: string;
  activityId: string;
  attempt: number;
  /** Process of the worker that runs the attempt: when it is gone, so is the holder. */
  pid: number;
  processStart: string;
}

export type LockAnswer =
  /** Yours until `release` with this token. Tokens grow: a later holder has a higher one. */
  | { kind: "granted"; token: number }
  /** The workflow goes on in a new run: ask again, the place in the queue is kept. */
  | { kind: "again" };

/** What goes on through continue-as-new. */
export interface FileMutexInput {
  v: 1;
  /** For the reader of the Temporal UI. */
  path: string;
  carried?: { token: number; holder?: LockHolder; order: string[] };
  /** Events of a run after which it goes on in a new one; absent = the limit of the product. */
  continueAsNewEvents?: number;
}

export interface LockHolder extends LockRequest {
  token: number;
  /** Milliseconds since 1970. */
  since: number;
}

export interface FileMutexState {
  holder?: LockHolder;
  /** Ids of requests, in the order in which they will be served. */
  waiting: string[];
}

export const acquireUpdate = defineUpdate<LockAnswer, [LockRequest]>("acquire");
/** By the holder, when it is done. A token that is not the holder's changes nothing. */
export const releaseSignal = defineSignal<[{ token: number }]>("release");
/** By a waiter that found the holder dead; the same as `release`, with a reason for the reader. */
export const expelSignal = defineSignal<[{ token: number; why: string }]>("expel");
/** By a waiter that gives up. */
export const withdrawSignal = defineSignal<[{ id: string }]>("withdraw");
export const fileMutexStateQuery = defineQuery<FileMutexState>("state");
