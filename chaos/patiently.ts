import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that a person's client goes on trying while server or worker are away. */
const patienceMs = 60_000;

/** Repeats what fails, as a client does whose message has an id of its own: twice arrived is once. */
export async function patiently<T>(work: () => Promise<T>, limitMs = patienceMs): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(150);
    }
  }
}

/** Waits until the condition holds, by looking every 50 ms; false after `limitMs`. */
export async function until(condition: () => boolean, limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) return false;
    await sleep(50);
  }
  return true;
}
