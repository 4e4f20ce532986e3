import { spawn } from "node:child_process";
import { closeSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { homeEnvironment, webFileOf } from "../config/home.ts";
import { isProviderVariable } from "../config/provider-environment.ts";
import { type ChosenPort, chooseWebPort } from "../server/ports.ts";
import type { RunningChild } from "./child-keeper.ts";
import { lastErrorLine } from "./last-error.ts";
import { logFileOf, openLog, sizeOf } from "./log-files.ts";
import { spawnedChild } from "./running-child.ts";
import { untilChanged } from "./until-changed.ts";
import { readWebFile, webPortFileOf } from "./up-state.ts";
import type { WorkerChildOptions } from "./worker-child.ts";

/** The program that serves the page. */
const program = join(import.meta.dirname, `web${extname(import.meta.filename)}`);

/** How far the page can be reached; null = not at all, whatever the configuration says; undefined = what it says. */
export interface WebReach {
  lan?: string | null;
  publicUrl?: string | null;
}

export interface WebChildOptions extends Omit<WorkerChildOptions, "variables" | "program"> {
  /** Provider variables: the page starts sessions, and their model is checked before. */
  variables: () => Record<string, string>;
  /** Called before each start, with the address of the page. */
  onPort: (url: string, note: string | undefined) => void;
}

/** The process of the web page as the keeper handles it. */
export class WebChild {
  /** Milliseconds: open streams are closed at once, so this is for a process that hangs. */
  readonly graceMs = 4_000;
  reach: WebReach = {};
  readonly #options: WebChildOptions;
  #claim: ChosenPort | undefined;
  /** Where the log of the present process begins. */
  #logStart = 0;

  constructor(options: WebChildOptions) {
    this.#options = options;
  }

  readonly start = async (): Promise<RunningChild> => {
    const { home } = this.#options;
    // A file of a killed predecessor must not make the new one look ready.
    rmSync(webFileOf(home), { force: true });
    const { loadConfig } = await import("../config/load.ts");
    const { web } = loadConfig(home, { environment: this.#options.environment }).values;
    this.release();
    this.#claim = await chooseWebPort(webPortFileOf(home), web?.port);
    const { port, note } = this.#claim;
    this.#options.onPort(`http://127.0.0.1:${port}`, note);
    const { address, namespace, profile } = this.#options.target();
    const { lan = web?.lan, publicUrl = web?.public_url } = this.reach;
    const words = ["--address", address, "--namespace", namespace, "--port", String(port)];
    if (lan) words.push("--lan", lan);
    if (publicUrl) words.push("--public-url", publicUrl.replace(/\/$/, ""));
    this.#logStart = sizeOf(logFileOf(home, "web"));
    const logDescriptor = openLog(home, "web");
    try {
      const child = spawn(process.execPath, [program, ...words], {
        cwd: home.root,
        detached: true,
        env: { ...this.#environment(), ...(profile === undefined ? {} : { TEMPI_TEMPORAL_PROFILE: profile }) },
        stdio: ["ignore", logDescriptor, logDescriptor],
      });
      return await spawnedChild(child);
    } finally {
      closeSync(logDescriptor);
    }
  };

  readonly ready = async (child: RunningChild, signal: AbortSignal): Promise<{ version?: string }> => {
    const { home } = this.#options;
    const file = await untilChanged(home.run, signal, () => {
      const found = readWebFile(home);
      return found?.pid === child.identity.pid ? found : undefined;
    });
    return { version: file.version };
  };

  readonly lastLine = (): string | undefined => lastErrorLine(logFileOf(this.#options.home, "web"), this.#logStart);

  /** Another program may have taken the port since it was looked at. */
  readonly isPassing = (line: string): boolean => /EADDRINUSE|address already in use/.test(line);

  release(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }

  #environment(): NodeJS.ProcessEnv {
    const { environment, home, variables } = this.#options;
    const kept = Object.entries(environment).filter(([name]) => !isProviderVariable(name));
    return { ...Object.fromEntries(kept), ...variables(), ...homeEnvironment(home) };
  }
}
