import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../src/config/home.ts";

/**
 * The folder of one call: `calls/<session>/<run>/<turn>.<position>`. The run is in it because a workflow reset repeats
 * call ids in a new run, and what the old run did is not this one's.
 */
export function callFolderOf(home: Home, sessionId: string, runId: string, callId: string): string {
  return join(home.calls, sessionId, runId, callId);
}

/** Creates the folder (0700) and writes down, to the disk itself, that the call is about to start. False: it was before. */
export function beginCall(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "started");
  if (existsSync(file)) return false;
  const descriptor = openSync(file, "w", 0o600);
  try {
    writeSync(descriptor, `${process.pid} ${new Date().toISOString()}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  const parent = openSync(folder, "r");
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
  return true;
}
