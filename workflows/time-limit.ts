import { CancellationScope, isCancellation, sleep } from "@temporalio/workflow";

/** One timer for one piece of work. */
export class TimeLimit {
  /** Milliseconds since 1970. */
  readonly at: number;
  up = false;
  readonly #scope = new CancellationScope();

  constructor(at: number, onUp: () => void) {
    this.at = at;
    this.#scope
      .run(() => sleep(Math.max(1, at - Date.now())))
      .then(
        () => {
          this.up = true;
          onUp();
        },
        (error) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }

  stop(): void {
    this.#scope.cancel();
  }
}
