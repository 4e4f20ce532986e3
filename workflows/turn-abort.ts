import { CancellationScope, CancelledFailure, sleep } from "@temporalio/workflow";
import { live } from "./live-sink.ts";

/** One abort flag per run of the loop. Activities of the run are started inside it, so that aborting reaches them all. */
export class TurnAbort {
  by: string | undefined;
  readonly #scopes = new Map<CancellationScope, string>();
  #resolve!: () => void;
  readonly happened = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  #grace: Promise<void> | undefined;

  /** Resolves some seconds after an abort: what did not stop by then is given up. One timer for all calls. */
  grace(milliseconds: number): Promise<void> {
    this.#grace ??= this.happened.then(() => CancellationScope.nonCancellable(() => sleep(milliseconds)));
    return this.#grace;
  }

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
    if (this.aborted) throw new CancelledFailure("the turn was stopped before this began");
    const scope = new CancellationScope();
    this.#scopes.set(scope, activityId);
    try {
      return await scope.run(start);
    } finally {
      this.#scopes.delete(scope);
    }
  }
}
