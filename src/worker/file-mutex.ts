import { realpathSync } from "node:fs";

/**
 * One queue per file within this worker, first come first served. It serialises all sessions of this machine, since one
 * worker runs per home; what happens across workers is decided by the pre-hash that writers compare before the rename.
 */
export function createFileMutex(): <T>(path: string, fn: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (path, fn) => {
    const key = keyOf(path);
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(fn, fn);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}

function keyOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
