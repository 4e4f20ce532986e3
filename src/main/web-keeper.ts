import type { Home } from "../config/home.ts";
import { endProcess, isAlive } from "../server/process-identity.ts";
import { type ChildKeeper, keeperOf } from "./child-keeper.ts";
import type { ChildState } from "./up-state.ts";
import { WebChild, type WebChildOptions, type WebReach } from "./web-child.ts";

export interface WebKeeperOptions extends WebChildOptions {
  home: Home;
  /** What a supervisor before left running: it is ended, since it may be of another version. */
  before: ChildState | undefined;
  /** Milliseconds between `begin` and the start. */
  delayMs: number;
  onChange: (state: ChildState) => void;
}

/** Begins the page where the configuration wants it, or when somebody asks for it by name; then keeps it running. */
export class WebKeeper {
  readonly #options: WebKeeperOptions;
  readonly #child: WebChild;
  readonly #keeper: ChildKeeper;
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> | undefined;
  #ended = false;

  constructor(options: WebKeeperOptions) {
    this.#options = options;
    this.#child = new WebChild(options);
    this.#keeper = keeperOf(this.#child, options.onChange);
  }

  /** Starts it after the delay, where the configuration wants it; nothing happens at a second call. */
  begin(): void {
    if (this.#timer || this.#starting || this.#ended) return;
    this.#timer = setTimeout(async () => {
      const wanted = await isWanted(this.#options);
      if (this.#starting || this.#ended) return;
      await (wanted ? this.#start() : this.#endLeft());
    }, this.#options.delayMs);
  }

  /** Starts it, or starts it anew, now; `reach` is added to what was asked for before. */
  async restart(reach: WebReach): Promise<void> {
    Object.assign(this.#child.reach, reach);
    if (this.#starting) await this.restartIfBegun();
    else await this.#start();
  }

  /** Starts it now, whatever the configuration says, unless it runs or is being started. */
  async need(): Promise<void> {
    if (!this.#starting) await this.#start();
    else if (this.#keeper.state.state === "failed") await this.#keeper.restart();
  }

  async restartIfBegun(): Promise<void> {
    if (!this.#starting) return;
    await this.#starting;
    await this.#keeper.restart();
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#starting;
    if (this.#starting) await this.#keeper.stop();
    else await this.#endLeft();
    this.#child.release();
  }

  leave(): void {
    this.#end();
    this.#keeper.leave();
    this.#child.release();
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#starting ??= (async () => {
      const { before } = this.#options;
      if (isAlive(before)) await endProcess(before, this.#child.graceMs);
      if (!this.#ended) this.#keeper.begin();
    })();
    return this.#starting;
  }

  async #endLeft(): Promise<void> {
    const { before, onChange } = this.#options;
    if (isAlive(before)) await endProcess(before, this.#child.graceMs);
    // Somebody may have asked for it meanwhile.
    if (!this.#starting) onChange({ state: "stopped", restarts: 0 });
  }
}

/** A configuration that cannot be read is told by the start itself. */
async function isWanted({ home, environment }: WebKeeperOptions): Promise<boolean> {
  // Loaded here and not with the supervisor, whose start everybody waits for.
  const { loadConfig } = await import("../config/load.ts");
  try {
    return loadConfig(home, { environment }).values.web?.start !== "off";
  } catch {
    return true;
  }
}
