/** Numbers that bound a session, each with its unit. Measured limits of the engine stand behind them. */
const KB = 1024;
const MB = 1024 * KB;

export const limits = {
  callsPerAnswer: 128,
  parallelCalls: 16,
  modelMessageBytes: 1 * MB,
  resultBytes: 200 * KB,
  detailsBytes: 64 * KB,
  errorTextBytes: 4 * KB,
  promptBytes: 256 * KB,
  /** Arguments up to this long are repeated in an execute input, for the reader of the Temporal UI. */
  inlineArgumentsCharacters: 8 * KB,
  editedArgumentsCharacters: 128 * KB,
  displayBytes: 16 * KB,
  summaryCharacters: 120,
  repeatedFailuresNotice: 3,
  repeatedFailuresStop: 6,
  /** The same failure of an answer's check, in a row. */
  sameCheckStop: 3,
  compactionTries: 3,
  maxTurns: 200,
  continueAsNewBytes: 2.5 * MB,
  continueAsNewEvents: 3_000,
  queryPageBytes: 1 * MB,
  historyPageSize: 50,
  queuedPrompts: 1_000,
  rememberedRules: 200,
  /** A session closes this long after it answered. */
  closeAfterMs: 10 * 60 * 1000,
  /** Work that ends sooner is told to nobody: whoever asked is still there. */
  quickWorkMs: 10_000,
  /** After an abort a call that does not stop is given up. */
  abortGraceMs: 10_000,
  /** A file's lock ends when nobody wanted it for so long. */
  fileMutexIdleMs: 10_000,
  /**
   * A workflow task that a killed worker had taken is given to the next one after this long; the engine's default, 10 s, is what
   * a person would wait. It adds 5 s and more at each retry, so a long replay on a slow machine still gets its time.
   */
  workflowTaskTimeoutMs: 2_000,
  heartbeatTimeoutMs: 10_000,
  heartbeatDetailsMs: 2_000,
} as const;
