import { expect, it } from "vitest";
import { faultNames, schedule } from "../../chaos/faults/schedule.ts";
import { readOptions } from "../../chaos/options.ts";
import { scriptOf, sessionPlan } from "../../chaos/script.ts";

const places = { workspace: "/w", effects: "/e" };

it("the same seed gives the same faults and the same answers, another seed others (I14)", () => {
  const faults = (seed: number) => schedule({ seed, kills: 200 });
  expect(faults(7)).toEqual(faults(7));
  expect(faults(7)).not.toEqual(faults(8));
  const script = (seed: number) => scriptOf(seed, sessionPlan(5), 2, places);
  expect(script(7)).toEqual(script(7));
  expect(script(7)).not.toEqual(script(8));
});

it("every fault is placed in a run of the nightly size, and no token stands twice", () => {
  expect(new Set(schedule({ seed: 1, kills: 300 }))).toEqual(new Set(faultNames));
  const tokens = Array.from({ length: 20 }, (_, session) =>
    [1, 2, 3, "tail" as const].flatMap((prompt) => scriptOf(1, sessionPlan(session), prompt, places)),
  ).flatMap((steps) => steps.flatMap(({ calls }) => calls.map(({ token }) => token)));
  expect(new Set(tokens).size).toBe(tokens.length);
});

it("refuses what it does not know", () => {
  expect(() => readOptions(["--break", "everything"])).toThrow(/journal, mutex, digest/);
  expect(() => readOptions(["--kills", "-1"])).toThrow();
  expect(() => readOptions(["--sessions", "0"])).toThrow(/whole number above 0/);
});
