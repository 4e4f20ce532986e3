/** What the shell learns, also from `attach`. */
export const exitCodes = {
  answered: 0,
  /** Failed or blocked. */
  failed: 1,
  /** Usage or configuration. */
  usage: 2,
  /** Waits for a person, or finished with calls denied because nobody could answer. */
  needsPerson: 3,
  /** Stopped by a person. */
  stopped: 4,
  /** Stopped by a limit. */
  limit: 5,
  /** Left by Ctrl-C; the session goes on. */
  left: 130,
  /** The reader of stdout went away. */
  brokenPipe: 141,
} as const;
