// Pure unit tests: no worker, no server.
import { expect, it } from "vitest";
import { runInLanes } from "../../src/agent/lanes.ts";

it("keeps the order of each key over any mix of keys, and runs everything once", async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 50; round++) {
    const seen: { key: string; task: number }[] = [];
    const busy = new Set<string>();
    const tasks = Array.from({ length: 30 }, (_, task) => {
      const keys = [...new Set(Array.from({ length: random(3) }, () => `k${random(4)}`))];
      return {
        keys,
        run: async () => {
          for (const key of keys) {
            expect(busy.has(key)).toBe(false);
            busy.add(key);
            seen.push({ key, task });
          }
          for (let turns = random(4); turns > 0; turns--) await Promise.resolve();
          for (const key of keys) busy.delete(key);
          if (keys.length === 0) seen.push({ key: "none", task });
        },
      };
    });
    await runInLanes(tasks, 1 + random(5));
    expect(new Set(seen.map(({ task }) => task)).size).toBe(30);
    for (const key of ["k0", "k1", "k2", "k3"]) {
      const order = seen.filter((entry) => entry.key === key).map(({ task }) => task);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  }
});

it("gives the next task of a key its turn when one fails, and tells the failure", async () => {
  const ran: number[] = [];
  const task = (number: number, fails = false) => ({
    keys: ["file"],
    run: async () => {
      ran.push(number);
      if (fails) throw new Error("first failed");
    },
  });
  await expect(runInLanes([task(1, true), task(2)], 2)).rejects.toThrow("first failed");
  expect(ran).toEqual([1, 2]);
});
