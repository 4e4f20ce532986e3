import { watch } from "node:fs";

/**
 * Waits until `look` finds something, looking again when `folder` changes and every 100 ms (events may be lost). Rejects when
 * `look` throws or `signal` aborts.
 */
export function untilChanged<T>(folder: string, signal: AbortSignal, look: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, () => check());
    const timer = setInterval(() => check(), 100);
    const end = () => {
      watcher.close();
      clearInterval(timer);
      signal.removeEventListener("abort", aborted);
    };
    const aborted = () => {
      end();
      reject(signal.reason);
    };
    const check = () => {
      try {
        const found = look();
        if (found === undefined) return;
        resolve(found);
      } catch (error) {
        reject(error);
      }
      end();
    };
    watcher.on("error", () => undefined);
    signal.addEventListener("abort", aborted);
    if (signal.aborted) aborted();
    else check();
  });
}
