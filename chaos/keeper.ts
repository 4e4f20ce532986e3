import { setTimeout as sleep } from "node:timers/promises";
import { askSupervisor } from "../src/main/control-socket.ts";
import { isReady } from "../src/main/up-state.ts";
import type { World } from "./world.ts";

/**
 * Does what `tempi restart` does for a person whose server or worker died three times in a minute and is not started any more:
 * faults that are placed in a row are not the crash loop that the supervisor gives up on.
 */
export class Keeper {
  /** Times a child was given up. */
  restarts = 0;
  readonly #world: World;
  #stopped = false;

  constructor(world: World) {
    this.#world = world;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const state = this.#world.state();
      if (state?.server.state === "failed") await this.#restart("restart-server");
      if (state?.worker.state === "failed") await this.#restart("restart-worker");
      await sleep(100);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Server and worker are there. */
  isReady(): boolean {
    const state = this.#world.state();
    return state !== undefined && isReady(state);
  }

  async #restart(cmd: "restart-server" | "restart-worker"): Promise<void> {
    const state = this.#world.state();
    if (!state) return;
    this.restarts += 1;
    await askSupervisor(state, { cmd }, 30_000).catch(() => undefined);
  }
}
