import { CancellationScope } from "@temporalio/workflow";
import { live } from "./live-sink.ts";

/** One abort flag per run of the loop. Activities of the run are started inside it, so that aborting reaches them all. */
export class TurnAbort {
  by: string | undefined;
  readonly #scopes = new Map<CancellationScope, string>();
  #resolve!: () => void;
  readonly happened = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  get aborted(): boolean {
    return this.by !== undefined;
  }

  abort(by: string): void {
    if (this.aborted) return;
    this.by = by;
    // The worker hears of it at once; the cancellation itself arrives with a heartbeat.
    live.cancelled([...this.#scopes.values()]);
    for (const scope of this.#scopes.keys()) scope.cancel();
    this.#resolve();
  }

  /** Runs an activity so that an abort cancels it. */
  async run<T>(activityId: string, start: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    this.#scopes.set(scope, activityId);
    try {
      return await scope.run(start);
    } finally {
      this.#scopes.delete(scope);
    }
  }
}
