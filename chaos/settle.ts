import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosConnection } from "./connection.ts";
import type { Driver } from "./driver.ts";
import { patiently } from "./patiently.ts";

/** A session that is not at rest and was not told to have done anything for so long, in milliseconds, is stuck. */
const stillMs = 60_000;

/** Sends each session one more prompt and waits until each is at rest or stands still. Gives the reason for each that is not at rest. */
export async function settle(drivers: readonly Driver[], { sessions }: ChaosConnection): Promise<Map<Driver, string>> {
  const tails = drivers.map((driver) => driver.prompt("steer", "tail").catch(() => undefined));
  await Promise.all(tails);
  const moved = new Map(drivers.map((driver) => [driver, { events: driver.events.length, at: Date.now() }]));
  for (;;) {
    const left = drivers.filter((driver) => !driver.isDone);
    for (const driver of left) {
      const { id, state, events } = driver;
      if (moved.get(driver)!.events !== events.length) moved.set(driver, { events: events.length, at: Date.now() });
      // What a person does who reads "blocked".
      if (state?.state === "blocked") await patiently(() => sessions.retry(id, "chaos"), 5_000).catch(() => undefined);
    }
    if (left.every((driver) => Date.now() - moved.get(driver)!.at > stillMs)) {
      return new Map(left.map((driver) => [driver, reasonOf(driver)]));
    }
    await sleep(200);
  }
}

function reasonOf(driver: Driver): string {
  const { state, prompts, events } = driver;
  const missing = prompts.filter((prompt) => !driver.isTaken(prompt)).map(({ id }) => id);
  if (!state) return "nobody ever told its state";
  return [
    `${state.state}${state.cause ? ` (${state.cause})` : ""}`,
    `running ${state.running.map(({ toolCallId, summary }) => `${toolCallId} ${summary}`).join(", ") || "nothing"}`,
    `${state.pending.length} approvals`,
    `${state.queued.length} queued`,
    `prompts not taken: ${missing.join(", ") || "none"}`,
    `last event ${state.lastEvent}, told ${events.at(-1)?.event.seq}`,
  ].join("; ");
}
