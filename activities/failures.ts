import type { ApplicationFailure } from "@temporalio/common";
import type { ModelError } from "../src/providers/contract.ts";
import { boundErrorText } from "./bounds.ts";
import { withoutStack } from "./without-stack.ts";

const transientTries = 10;
const longestWaitMs = 60_000;

/**
 * Counts the provider's own failures of one activity. Kept by the worker, not by the attempt number, so attempts lost to
 * dead workers do not count against the provider's budget.
 */
export class FailureBudget {
  readonly #failures = new Map<string, number>();

  count(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return failures;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}

/** What the engine does about a model error: the dotted type says who can mend it, the delay when to try again. */
export function modelFailure(error: ModelError, failures: number, tries = transientTries): ApplicationFailure {
  const message = boundErrorText(error.message);
  const details = error.next ? [error.next] : [];
  const final = (type: string) => withoutStack({ type, message, nonRetryable: true, details });
  switch (error.kind) {
    case "rateLimit":
      return withoutStack({
        type: "Model.RateLimit",
        message,
        nextRetryDelay: error.retryAfterMs ?? backoff(failures),
      });
    case "transient":
      if (failures >= tries) {
        return withoutStack({
          type: "Model.Exhausted",
          message: boundErrorText(`the model failed ${failures} times; the last time: ${error.message}`),
          nonRetryable: true,
          details,
        });
      }
      return withoutStack({
        type: "Model.Transient",
        message,
        nextRetryDelay: error.retryAfterMs ?? backoff(failures),
      });
    case "auth":
      return final("Model.Auth");
    case "quota":
      return final("Model.Quota");
    case "unknownModel":
      return final("Model.UnknownModel");
    case "overflow":
      return final("Model.Overflow");
    case "contentFilter":
      return final("Model.ContentFilter");
    case "invalid":
      return final("Model.Invalid");
  }
}

/** 1 s, 2 s, 4 s … at most a minute, with jitter so that many sessions do not come back together. */
function backoff(failures: number): number {
  const wait = Math.min(longestWaitMs, 1_000 * 2 ** Math.max(0, failures - 1));
  return Math.round(wait * (0.75 + Math.random() * 0.5));
}
