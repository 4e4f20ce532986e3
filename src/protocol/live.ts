/**
 * Live text: newline-delimited JSON over the worker's Unix socket (path in `run/worker.json`).
 * Best effort and free for Temporal; what it shows is never the record. The client sends one `Subscribe`.
 */
export interface Subscribe {
  /** Session ids; `allSessions` = the hints of all, without their text. */
  subscribe: string[];
}

/** Cannot be a session's id. */
export const allSessions = "*";

/** Growing text of one activity attempt. A higher `attempt` of the same `source` replaces all of the lower one. */
export interface LiveFrame {
  type: "frame";
  sessionId: string;
  /** `model:<turn>` or the call id `<turn>.<position>`. */
  source: string;
  attempt: number;
  /** Counts from 1 within an attempt. */
  seq: number;
  blocks: LiveBlock[];
  /** The attempt is over; its durable record follows as events. */
  done?: boolean;
}

export interface LiveBlock {
  index: number;
  kind: "text" | "thinking" | "toolCall" | "output";
  /** Name of the tool, for `toolCall`. */
  name?: string;
  /** Characters of the block before `tail`. A client that has fewer resets to `tail` alone. */
  offset: number;
  tail: string;
}

/** Hint: this session has events up to about `last`; ask for them by query. */
export interface EventsChanged {
  type: "changed";
  sessionId: string;
  last: number;
}

export type LiveMessage = LiveFrame | EventsChanged;
