import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isWholeGroupFile } from "./invariants/files.ts";
import { type SessionPlan, sharedFile } from "./script.ts";
import type { World } from "./world.ts";

const pauseMs = 100;

/** Reads the shared files all the time, as an editor or a build beside the agent would, and looks whether they are whole. */
export class WholeReader {
  whole = 0;
  readonly torn: string[] = [];
  readonly #world: World;
  readonly #plans: readonly SessionPlan[];
  #stopped = false;

  constructor(world: World, plans: readonly SessionPlan[]) {
    this.#world = world;
    this.#plans = plans;
  }

  async run(): Promise<void> {
    const groups = [...new Set(this.#plans.map(({ group }) => group))];
    for (let at = 0; !this.#stopped; at++) {
      const group = groups[at % groups.length]!;
      const members = this.#plans.filter((plan) => plan.group === group).map(({ index }) => index);
      const text = readFileSync(join(this.#world.places.workspace, sharedFile(group)), "utf8");
      if (isWholeGroupFile(text, group, members)) this.whole += 1;
      else this.torn.push(`${sharedFile(group)}, ${text.length} characters`);
      await sleep(pauseMs);
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}
