// Pure unit tests: what the engine is told about each kind of model error (H5, F16, cases 55 and 56).
import { describe, expect, it, test } from "vitest";
import { FailureBudget, modelFailure } from "../../activities/failures.ts";
import { ModelError, type ModelErrorKind } from "../../src/providers/contract.ts";

const failed = (kind: ModelErrorKind, failures = 1, retryAfterMs?: number) =>
  modelFailure(new ModelError(kind, "HOST said no", retryAfterMs === undefined ? {} : { retryAfterMs }), failures);
const hour = 3_600_000;
const day = 24 * hour;

test.each<[ModelErrorKind, string, boolean]>([
  ["rateLimit", "Model.RateLimit", false],
  ["transient", "Model.Transient", false],
  ["quota", "Model.Quota", true],
  ["auth", "Model.Auth", true],
  ["unknownModel", "Model.UnknownModel", true],
  ["invalid", "Model.Invalid", true],
  ["overflow", "Model.Overflow", true],
  ["contentFilter", "Model.ContentFilter", true],
])("%s is %s", (kind, type, nonRetryable) => {
  const failure = failed(kind);
  expect(failure).toMatchObject({ type, nonRetryable, message: "HOST said no", stack: "" });
  expect(failure.nextRetryDelay === undefined).toBe(nonRetryable);
});

describe("waits (F16)", () => {
  const wait = (failures: number, retryAfterMs?: number) =>
    Number(failed("rateLimit", failures, retryAfterMs).nextRetryDelay);

  it("case 55: grow with jitter up to a minute when the server names none", () => {
    for (const [failures, right] of [
      [1, 1_000],
      [2, 2_000],
      [5, 16_000],
      [20, 60_000],
    ] as const) {
      const waits = Array.from({ length: 50 }, () => wait(failures));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(right * 0.75);
      expect(Math.max(...waits)).toBeLessThanOrEqual(right * 1.25);
      expect(new Set(waits).size).toBeGreaterThan(1);
    }
  });

  test.each([
    ["a second", 1_000, 1_000],
    ["next to nothing", 1, 100],
    ["hours", 3 * hour, 3 * hour],
    ["ten days", 10 * day, 10 * day],
    ["years: a fault of the server", 4_000 * day, 30 * day],
    ["without end", Number.POSITIVE_INFINITY, 30 * day],
  ])("of the server are kept: %s", (_name, asked, right) => {
    for (const failures of [1, 20]) expect(wait(failures, asked)).toBe(right);
  });

  it("of zero, as of a date that is past, do not become a request without a pause", () => {
    expect(wait(1, 0)).toBeGreaterThanOrEqual(750);
    expect(wait(6, 0)).toBeGreaterThanOrEqual(24_000);
  });
});

describe("tries", () => {
  it("case 55: are bounded, fewer for broken connections than for rate limits", () => {
    expect(failed("transient", 9)).toMatchObject({ type: "Model.Transient", nonRetryable: false });
    expect(failed("transient", 10)).toMatchObject({ type: "Model.Exhausted", nonRetryable: true });
    expect(failed("rateLimit", 29)).toMatchObject({ type: "Model.RateLimit", nonRetryable: false });
    expect(failed("rateLimit", 30)).toMatchObject({
      type: "Model.Exhausted",
      message: "the model failed 30 times; the last time: HOST said no",
    });
  });

  it("are counted for each kind and activity apart, and forgotten together", () => {
    const budget = new FailureBudget();
    for (let at = 0; at < 12; at++) budget.count("run/1", "rateLimit");
    expect(budget.count("run/1", "transient")).toBe(1);
    expect(budget.count("run/2", "rateLimit")).toBe(1);
    budget.forget("run/1");
    expect(budget.count("run/1", "rateLimit")).toBe(1);
  });
});
