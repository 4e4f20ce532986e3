import type { ApplicationFailure } from "@temporalio/common";
import type { ModelError, ModelErrorKind } from "../src/providers/contract.ts";
import { boundErrorText } from "./bounds.ts";
import { withoutStack } from "./without-stack.ts";

const transientTries = 10;
/** Without a server's own wait that is about half an hour; with it, as many of its waits. */
const rateLimitTries = 30;
const longestBackoffMs = 60_000;
/** Nobody is asked again without any pause, whatever it says. */
const shortestWaitMs = 100;
/** A wait beyond this is a fault of the server; nobody gains from a session that sleeps for years. */
const longestServerWaitMs = 30 * 24 * 3_600_000;

/**
 * Counts the provider's own failures of one activity, each kind for itself: after a long rate limit one broken connection is
 * still the first. Kept by the worker, not by the attempt number, so attempts lost to dead workers do not count.
 */
export class FailureBudget {
  readonly #failures = new Map<string, Map<ModelErrorKind, number>>();

  count(key: string, kind: ModelErrorKind): number {
    const kinds = this.#failures.get(key) ?? new Map<ModelErrorKind, number>();
    this.#failures.set(key, kinds);
    const failures = (kinds.get(kind) ?? 0) + 1;
    kinds.set(kind, failures);
    return failures;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}

/**
 * What the engine does about a model error: the dotted type says who can mend it, the delay when to try again.
 * @param failures of this kind, this one included.
 * @param tries how often a transient failure is tried.
 */
export function modelFailure(error: ModelError, failures: number, tries = transientTries): ApplicationFailure {
  const message = boundErrorText(error.message);
  const details = error.next ? [error.next] : [];
  const final = (type: string) => withoutStack({ type, message, nonRetryable: true, details });
  const again = (type: string, limit: number) =>
    failures < limit
      ? withoutStack({ type, message, nextRetryDelay: waitBefore(error.retryAfterMs, failures) })
      : withoutStack({
          type: "Model.Exhausted",
          message: boundErrorText(`the model failed ${failures} times; the last time: ${error.message}`),
          nonRetryable: true,
          details,
        });
  switch (error.kind) {
    case "rateLimit":
      return again("Model.RateLimit", rateLimitTries);
    case "transient":
      return again("Model.Transient", tries);
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

/** What the server asks, neither more nor less; one that names nothing, no time or a date that is past gets our own growing wait. */
const waitBefore = (serverMs: number | undefined, failures: number): number =>
  serverMs !== undefined && serverMs > 0
    ? Math.min(longestServerWaitMs, Math.max(shortestWaitMs, serverMs))
    : backoff(failures);

/** 1 s, 2 s, 4 s … at most a minute, with jitter so that many sessions do not come back together. */
function backoff(failures: number): number {
  const wait = Math.min(longestBackoffMs, 1_000 * 2 ** Math.max(0, failures - 1));
  return Math.round(wait * (0.75 + Math.random() * 0.5));
}
