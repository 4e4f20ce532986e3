import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "./world.ts";

/** What one process of a follower wrote: the durable events, by number. */
export interface Followed {
  sessionId: string;
  /** In the order of the lines. */
  events: { seq: number; type: string; messageId?: string }[];
  /** Lines that are no JSON, but for the last one of a process that was killed. */
  garbled: number;
}

/** `tempi attach --json` as a process of its own that is killed and comes back. */
export class Follower {
  readonly lives: Followed[] = [];
  sessionId: string | undefined;
  readonly #world: World;
  #child: ChildProcess | undefined;
  #stopped = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Begins with a session; goes on with the next one when `next` names it after an end. */
  async run(next: () => string | undefined): Promise<void> {
    while (!this.#stopped) {
      this.sessionId = next();
      if (this.sessionId !== undefined) await this.#follow(this.sessionId);
      await sleep(1_000);
    }
  }

  /** False when there was none to kill. */
  kill(): boolean {
    return this.#child?.kill("SIGKILL") ?? false;
  }

  stop(): void {
    this.#stopped = true;
    this.kill();
  }

  async #follow(sessionId: string): Promise<void> {
    const { file, args, options } = this.#world.attachCommand(sessionId);
    const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
    this.#child = child;
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    await new Promise<void>((resolve) => child.once("close", () => resolve()));
    this.#child = undefined;
    this.lives.push(read(sessionId, text));
  }
}

function read(sessionId: string, text: string): Followed {
  const followed: Followed = { sessionId, events: [], garbled: 0 };
  // Without the part after the last line break, which a kill may have cut.
  for (const line of text.split("\n").slice(0, -1)) {
    try {
      const event = JSON.parse(line) as { seq?: number; type: string; messageId?: string };
      if (event.seq === undefined) continue;
      const { seq, type, messageId } = event;
      followed.events.push({ seq, type, ...(messageId === undefined ? {} : { messageId }) });
    } catch {
      followed.garbled += 1;
    }
  }
  return followed;
}
