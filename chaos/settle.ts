import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosConnection } from "./connection.ts";
import type { Driver } from "./driver.ts";
import { patiently } from "./patiently.ts";

/** Milliseconds that all sessions together may take to come to rest after the last fault, and more for each. */
const settleMs = 60_000;
const settleMsEach = 2_000;

/** Sends each session one more prompt and waits until all are at rest. Gives the reason for each that is not. */
export async function settle(drivers: readonly Driver[], { sessions }: ChaosConnection): Promise<Map<Driver, string>> {
  await Promise.all(drivers.map((driver) => driver.prompt("steer", "tail").catch(() => undefined)));
  const end = Date.now() + settleMs + settleMsEach * drivers.length;
  let left = drivers.filter((driver) => !driver.isDone);
  while (left.length > 0 && Date.now() < end) {
    for (const { id, state } of left) {
      // What a person does who reads "blocked".
      if (state?.state === "blocked") await patiently(() => sessions.retry(id, "chaos"), 5_000).catch(() => undefined);
    }
    await sleep(200);
    left = left.filter((driver) => !driver.isDone);
  }
  return new Map(left.map((driver) => [driver, reasonOf(driver)]));
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
