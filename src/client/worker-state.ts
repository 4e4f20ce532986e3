import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../config/home.ts";

/** What a ready worker wrote about itself in `run/worker.json`. */
export interface WorkerState {
  pid: number;
  startedAt: number;
  version: string;
  address: string;
  namespace: string;
  socket: string;
}

/** The worker of this home, if its process lives. */
export function livingWorker(home: Home): WorkerState | undefined {
  try {
    const state = JSON.parse(readFileSync(join(home.run, "worker.json"), "utf8")) as WorkerState;
    process.kill(state.pid, 0);
    return state;
  } catch {
    return undefined;
  }
}
