import { condition } from "@temporalio/workflow";

/** More conditions than follow each other anywhere between two commands of ours. */
const rounds = 20;

/**
 * Resolves when everything else that was brought together with the present step has been worked off, as far as it needs no
 * further event. Conditions are looked at anew after each round of steps, so one that holds only at its second look waits
 * for one round.
 */
export async function untilQuiet(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    let looks = 0;
    await condition(() => looks++ > 0);
  }
}
