import { type ChildProcess, spawn } from "node:child_process";
import type { ServerPorts } from "./ports.ts";
import { identityOf, type ProcessIdentity, processesMentioning } from "./process-identity.ts";

/** Everything the local server needs. Search attributes are handed in: their names belong to the protocol. */
export interface StartDevOptions extends ServerPorts {
  /** Path of the Temporal CLI. */
  binary: string;
  databaseFile: string;
  searchAttributes: Readonly<Record<string, string>>;
  /** Open file that gets everything the server prints. The server writes to it itself and so outlives its supervisor. */
  logDescriptor: number;
}

/** Arguments of the Temporal CLI for this product's server. */
export function startDevArguments(options: Omit<StartDevOptions, "binary" | "logDescriptor">): string[] {
  return [
    "server",
    "start-dev",
    "--db-filename",
    options.databaseFile,
    "--ip",
    "127.0.0.1",
    "--port",
    String(options.grpc),
    "--ui-port",
    String(options.ui),
    "--ui-disable-news-fetch",
    "--log-level",
    "error",
    // FULL: an acknowledged signal is on the disk. WAL and the poll rate: 190 → 33 ms a turn, measured.
    ...["journal_mode=WAL", "synchronous=FULL"].flatMap((pragma) => ["--sqlite-pragma", pragma]),
    ...[
      "history.transferProcessorMaxPollRPS=2000",
      "history.maxInFlightUpdates=1000",
      // The HTTP API cannot be switched off and takes cross-site requests; no host name passes this list.
      'frontend.httpAllowedHosts=["nobody.invalid"]',
    ].flatMap((value) => ["--dynamic-config-value", value]),
    ...Object.entries(options.searchAttributes).flatMap(([name, type]) => ["--search-attribute", `${name}=${type}`]),
  ];
}

/** Starts the server in a session of its own, so that Ctrl-C in a terminal does not reach it. */
export function spawnStartDev(options: StartDevOptions): ChildProcess {
  return spawn(options.binary, startDevArguments(options), {
    detached: true,
    stdio: ["ignore", options.logDescriptor, options.logDescriptor],
  });
}

/** A server found running. */
export interface RunningServer extends ServerPorts {
  identity: ProcessIdentity;
}

/**
 * Servers that have this database open, found by their arguments: nothing stops a second one from opening the file (measured:
 * both run and lock each other out), so one without supervisor must be found even when its record is lost.
 */
export function findRunningServers(databaseFile: string): RunningServer[] {
  return processesMentioning(databaseFile).flatMap(({ pid, arguments: words }) => {
    const after = (flag: string) => words[words.indexOf(flag) + 1];
    if (!words.includes("start-dev") || after("--db-filename") !== databaseFile) return [];
    const identity = identityOf(pid);
    const grpc = Number(after("--port"));
    const ui = Number(after("--ui-port"));
    return identity && grpc > 0 && ui > 0 ? [{ identity, grpc, ui }] : [];
  });
}
