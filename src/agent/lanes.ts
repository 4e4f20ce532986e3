/** A piece of work and the keys it must have alone. */
export interface LaneTask {
  keys: string[];
  run: () => Promise<void>;
}

/**
 * Runs tasks together, at most `limit` at once; tasks that share a key run one after another in the given order.
 * A task waits in order only for earlier ones of its keys, so no two can wait for each other.
 */
export async function runInLanes(tasks: LaneTask[], limit: number): Promise<void> {
  const last = new Map<string, Promise<void>>();
  let free = limit;
  const waiting: (() => void)[] = [];
  const slot = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  const started = tasks.map((task) => {
    const before = task.keys.flatMap((key) => last.get(key) ?? []);
    const done = (async () => {
      // The fault of an earlier task is reported by that task's own promise; this one still gets its turn.
      await Promise.all(before.map((promise) => promise.catch(() => undefined)));
      await slot();
      try {
        await task.run();
      } finally {
        release();
      }
    })();
    for (const key of task.keys) last.set(key, done);
    return done;
  });
  const outcomes = await Promise.allSettled(started);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
