import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import type { Home } from "../config/home.ts";

/** Bytes of one log file; with two older ones this bounds each log to 30 MB. */
const maximumBytes = 10 << 20;
const olderFiles = 2;

export type LogName = "up" | "server" | "worker" | "web";
export const logFileOf = (home: Home, name: LogName): string => join(home.logs, `${name}.log`);

/** Opens a log for a process that writes to it itself (and so can outlive the supervisor). */
export const openLog = (home: Home, name: LogName): number => openSync(logFileOf(home, name), "a", 0o600);

/**
 * Rotates a log that has grown too big. The writer keeps its open file, so the content is copied and the file cut; it writes in
 * append mode and goes on at the new end. Lines written between copy and cut are lost.
 */
export function rotateLog(path: string, limit = maximumBytes): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || stat.size < limit) return false;
  rmSync(`${path}.${olderFiles}`, { force: true });
  for (let number = olderFiles - 1; number >= 1; number--) {
    if (statSync(`${path}.${number}`, { throwIfNoEntry: false }))
      renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
  return true;
}

/** Last lines of a file that are not empty, oldest first; reads at most its last 64 KB. */
export function lastLines(path: string, count: number, from = 0): string[] {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(descriptor);
    // A log that was rotated meanwhile begins anew.
    const start = Math.max(from > size ? 0 : from, size - 65_536, 0);
    const buffer = Buffer.alloc(Math.max(size - start, 0));
    readSync(descriptor, buffer, 0, buffer.length, start);
    const lines = buffer.toString("utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").slice(-count);
  } finally {
    closeSync(descriptor);
  }
}

/** Size in bytes; 0 when the file is absent. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
