import { randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

const staleMs = 2_000;
const patienceMs = 3_000;
const pauseMs = 5;

/**
 * Runs `change` while no other process changes the file: the server and `tempi web devices` write the same ones. Blocks this
 * process for the few milliseconds a holder needs; a lock whose holder died is taken over.
 */
export function withFileLock<T>(path: string, change: () => T): T {
  const lock = `${path}.lock`;
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (Date.now() - ageStart(lock) > staleMs) rmSync(lock, { force: true });
      else if (Date.now() > until) throw new Error(`${lock} is held by another process`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function ageStart(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Date.now();
  }
}

/** Replaces the file whole (0600), so that no reader sees a part of it. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}
