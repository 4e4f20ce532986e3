// Pure unit tests: sums of what was used, and the words for their cost.
import { expect, test } from "vitest";
import { costOf } from "../../src/agent/format.ts";
import { addUsage, noUsage, type Usage } from "../../src/agent/messages.ts";

const used = (more: Partial<Usage> = {}): Usage => ({ input: 100, output: 10, cacheRead: 5, cacheWrite: 1, ...more });
const sum = (...usages: Usage[]): Usage => usages.reduce(addUsage, noUsage());

test("the cost of a sum is known, at least as high as a part, or unknown; never $0 for unknown", () => {
  expect(costOf(sum(used({ cost: 0.5 }), noUsage(), used({ cost: 0.25 })))).toBe("$0.75");
  expect(costOf(sum(used(), used()))).toBe("cost unknown");
  expect(costOf(sum())).toBe("cost unknown");
  expect(costOf(sum(used({ cost: 0 })))).toBe("$0.00");
  for (const parts of [
    [used({ cost: 0.5 }), used()],
    [used(), used({ cost: 0.5 })],
    [used({ cost: 0.5 }), used(), used({ cost: 0 })],
    [{ ...noUsage(), costIncomplete: true as const }, used({ cost: 0.5 })],
  ]) {
    expect(costOf(sum(...parts))).toBe("at least $0.50");
    expect(sum(...parts).costIncomplete).toBe(true);
  }
  expect(costOf(sum({ ...noUsage(), costIncomplete: true }))).toBe("cost unknown");
});

test("tokens are summed each by its kind", () => {
  expect(sum(used(), used())).toEqual({ input: 200, output: 20, cacheRead: 10, cacheWrite: 2 });
});
