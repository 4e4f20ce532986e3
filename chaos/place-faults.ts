import { setTimeout as sleep } from "node:timers/promises";
import type { PlacedFault, Victims } from "./faults/fault.ts";
import { type FaultName, faults } from "./faults/schedule.ts";
import { patiently, until } from "./patiently.ts";
import { Random } from "./random.ts";

/** How long server and worker may take to be there again before the next fault. */
const readyMs = 45_000;

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
    say(`fault ${fault.number} of ${names.length}: ${name}, hit ${fault.hit.length}`);
    // A moment, so that the supervisor has seen the death.
    await sleep(200);
    if (await until(() => victims.keeper.isReady(), readyMs)) continue;
    say("not ready: tempi up");
    await patiently(() => victims.world.up());
  }
  return placed;
}
