import { readFileSync } from "node:fs";
import { type Home, type WorkerFile, workerFileOf } from "../config/home.ts";

/** The worker of this home, if its process lives. */
export function livingWorker(home: Home): WorkerFile | undefined {
  try {
    const state = JSON.parse(readFileSync(workerFileOf(home), "utf8")) as WorkerFile;
    process.kill(state.pid, 0);
    return state;
  } catch {
    return undefined;
  }
}
