import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "./driver.ts";
import type { Random } from "./random.ts";

/** Sessions at work at the same time; more only wait for the processor. */
const mostAtWork = 10;

/** Keeps sessions at work while faults are placed: whoever is free gets its next prompt, some get one in mid-work. */
export class Pool {
  readonly failures: string[] = [];
  readonly #drivers: readonly Driver[];
  readonly #random: Random;
  readonly #sending = new Map<Driver, Promise<void>>();
  #stopped = false;

  constructor(drivers: readonly Driver[], random: Random) {
    this.#drivers = drivers;
    this.#random = random;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const atWork = this.#drivers.filter((driver) => this.#sending.has(driver) || (driver.begun && !driver.isFree));
      if (atWork.length < Math.min(mostAtWork, this.#drivers.length)) {
        const free = this.#drivers.filter((driver) => !atWork.includes(driver));
        const next = free.reduce((least, one) => (one.prompts.length < least.prompts.length ? one : least));
        this.#send(next, "steer");
        continue;
      }
      if (this.#random.chance(0.03)) {
        const driver = this.#random.pick(atWork);
        if (!this.#sending.has(driver)) this.#send(driver, this.#random.pick(["steer", "followUp"] as const));
      }
      await sleep(50);
    }
    await Promise.all(this.#sending.values());
  }

  stop(): void {
    this.#stopped = true;
  }

  #send(driver: Driver, delivery: "steer" | "followUp"): void {
    const sending = driver
      .prompt(delivery)
      .catch((error: Error) => void this.failures.push(`${driver.id}: ${error.message}`))
      .finally(() => this.#sending.delete(driver));
    this.#sending.set(driver, sending);
  }
}
