import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@temporalio/client";
import { workerGone } from "../../activities/attempt.ts";
import { type RunningAttempts, WorkerShutdown } from "../../activities/services.ts";

/**
 * Attempts that run in this process. Each is written down under `run/attempts/<pid>-<time>-<number>`, so that a successor can fail
 * what a dead worker left: the engine then tries again in about 0.1 s instead of after the heartbeat time-out.
 */
export class AttemptJournal implements RunningAttempts {
  readonly #folder: string;
  readonly #running = new Map<string, AbortController>();
  #counter = 0;
  #leaving = false;
  /** Pid and time: in a container the next worker often has the same pid. */
  readonly #own = `${process.pid}-${Date.now().toString(36)}-`;

  constructor(runFolder: string) {
    this.#folder = join(runFolder, "attempts");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  begin({ runId, activityId, taskToken }: { runId: string; activityId: string; taskToken: Uint8Array }) {
    const key = `${runId}/${activityId}`;
    const controller = new AbortController();
    const file = join(this.#folder, `${this.#own}${++this.#counter}`);
    writeFileSync(file, Buffer.from(taskToken).toString("base64"), { mode: 0o600 });
    this.#running.set(key, controller);
    // Work that reaches a worker on its way out is left to the next one.
    if (this.#leaving) controller.abort(new WorkerShutdown());
    return {
      signal: controller.signal,
      end: () => {
        if (this.#running.get(key) === controller) this.#running.delete(key);
        rmSync(file, { force: true });
      },
    };
  }

  /** The workflow cancelled these; the engine's own message comes later, with a heartbeat. */
  cancel(runId: string, activityIds: string[]): void {
    for (const id of activityIds) this.#running.get(`${runId}/${id}`)?.abort(new Error("a person stopped this turn"));
  }

  shutdown(): void {
    this.#leaving = true;
    for (const controller of this.#running.values()) controller.abort(new WorkerShutdown());
  }

  /** Fails what workers that are gone had under way. One worker runs per home, so every other pid's entries are theirs. */
  async failPredecessors(client: Client): Promise<number> {
    const left = readdirSync(this.#folder).filter((name) => !name.startsWith(this.#own));
    const failed = await Promise.all(
      left.map(async (name) => {
        const file = join(this.#folder, name);
        const taskToken = Buffer.from(readFileSync(file, "utf8"), "base64");
        // Not found: the engine knows already, or the attempt had ended.
        const known = await client.activity.fail(taskToken, workerGone()).then(
          () => true,
          () => false,
        );
        rmSync(file, { force: true });
        return known;
      }),
    );
    return failed.filter(Boolean).length;
  }
}
