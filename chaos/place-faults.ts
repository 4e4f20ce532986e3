import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "./driver.ts";
import type { PlacedFault, Victims } from "./faults/fault.ts";
import { type FaultName, faults } from "./faults/schedule.ts";
import { patiently, until } from "./patiently.ts";
import { Random } from "./random.ts";

/** How long server and worker may take to be there again before the next fault. */
const readyMs = 45_000;
/** How long the sessions that were hit may take to go on, before the next fault comes anyway. */
const recoveryMs = 30_000;

/** Places the faults one after another, each a moment after the system recovered from the last one. */
export async function placeFaults(
  seed: number,
  names: readonly FaultName[],
  victims: Omit<Victims, "random">,
  say: (text: string) => void,
): Promise<PlacedFault[]> {
  const placed: PlacedFault[] = [];
  for (const [at, name] of names.entries()) {
    const random = new Random(seed, `fault/${at}`);
    await sleep(random.between(150, 900));
    await until(() => victims.underWay().size > 0, 5_000);
    const struck = await faults[name]({ ...victims, random });
    const fault = {
      number: at + 1,
      kind: name,
      at: struck.at,
      liftedAt: struck.liftedAt ?? struck.at,
      hit: [...new Set(struck.hit)],
    };
    placed.push(fault);
    // A moment, so that the supervisor has seen the death.
    await sleep(200);
    const isReady = await until(() => victims.keeper.isReady(), readyMs);
    const readyAfter = Date.now() - fault.liftedAt;
    if (!isReady) {
      say("not ready: tempi up");
      await patiently(() => victims.world.up());
    }
    // Most faults come alone; some strike while the last one is being mended.
    const goesOn = (driver: Driver) => (driver.events.at(-1)?.event.at ?? 0) >= fault.liftedAt;
    const hit = victims.drivers.filter(({ id }) => fault.hit.includes(id));
    const isAlone = random.chance(0.75);
    if (isAlone) await until(() => hit.every(goesOn), recoveryMs);
    const took =
      isAlone && hit.length > 0
        ? `, ${hit.filter(goesOn).length} went on within ${Date.now() - fault.liftedAt} ms`
        : "";
    say(
      `fault ${fault.number} of ${names.length}: ${name}, hit ${hit.length}, worker ready after ${readyAfter} ms${took}`,
    );
  }
  return placed;
}
