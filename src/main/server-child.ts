import { closeSync } from "node:fs";
import type { Connection } from "@temporalio/client";
import type { Home } from "../config/home.ts";
import { cliVersion } from "../server/cli-version.ts";
import { type ChosenPorts, choosePorts, type ServerPorts } from "../server/ports.ts";
import { findRunningServers, spawnStartDev } from "../server/start-dev.ts";
import { ensureRetention, waitForTemporal } from "../server/temporal-service.ts";
import type { RunningChild } from "./child-keeper.ts";
import { lastErrorLine } from "./last-error.ts";
import { logFileOf, openLog, sizeOf } from "./log-files.ts";
import { adoptedChild, spawnedChild } from "./running-child.ts";
import { portsFileOf } from "./up-state.ts";

/** Milliseconds start-dev gets to stop: it takes up to 3 s. */
const serverGraceMs = 10_000;

/** This home's Temporal server as the keeper handles it, and where it listens. */
export class ServerChild {
  readonly graceMs = serverGraceMs;
  ports: ServerPorts | undefined;
  readonly #home: Home;
  readonly #binary: string;
  readonly #searchAttributes: Readonly<Record<string, string>>;
  readonly #onPorts: (ports: ServerPorts, notes: string[]) => void;
  #claims: ChosenPorts | undefined;
  /** Where the log of the present process begins. */
  #logStart = 0;
  #connection: Connection | undefined;

  constructor(options: {
    home: Home;
    binary: string;
    searchAttributes: Readonly<Record<string, string>>;
    /** Called before each start, and when a server was adopted. */
    onPorts: (ports: ServerPorts, notes: string[]) => void;
  }) {
    this.#home = options.home;
    this.#binary = options.binary;
    this.#searchAttributes = options.searchAttributes;
    this.#onPorts = options.onPorts;
  }

  /** A server of this home that a dead supervisor left. */
  adopt(): RunningChild | undefined {
    const [found] = findRunningServers(this.#home.databaseFile);
    if (!found) return undefined;
    this.#use({ grpc: found.grpc, ui: found.ui }, []);
    return adoptedChild(found.identity);
  }

  readonly start = async (): Promise<RunningChild> => {
    this.#claims?.release();
    this.#claims = await choosePorts(portsFileOf(this.#home));
    this.#use({ grpc: this.#claims.grpc, ui: this.#claims.ui }, this.#claims.notes);
    this.#logStart = sizeOf(logFileOf(this.#home, "server"));
    const logDescriptor = openLog(this.#home, "server");
    try {
      const child = spawnStartDev({
        binary: this.#binary,
        databaseFile: this.#home.databaseFile,
        searchAttributes: this.#searchAttributes,
        logDescriptor,
        ...this.ports!,
      });
      return await spawnedChild(child);
    } finally {
      closeSync(logDescriptor);
    }
  };

  readonly ready = async (_child: RunningChild, signal: AbortSignal): Promise<{ version?: string }> => {
    await this.#connection?.close().catch(() => undefined);
    this.#connection = undefined;
    const connection = await waitForTemporal(`127.0.0.1:${this.ports!.grpc}`, signal);
    this.#connection = connection;
    await ensureRetention(connection, "default");
    const version = await cliVersion(this.#binary, `${this.#home.cache}/cli-version.json`);
    return version === undefined ? {} : { version };
  };

  readonly lastLine = (): string | undefined => lastErrorLine(logFileOf(this.#home, "server"), this.#logStart);

  /** A server that still stops holds the database; another program may have taken the port since it was looked at. */
  readonly isPassing = (line: string): boolean => /database is locked|SQLITE_BUSY|address already in use/.test(line);

  /** Connection to the running server; undefined while there is none. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  release(): void {
    this.#claims?.release();
    void this.#connection?.close().catch(() => undefined);
  }

  #use(ports: ServerPorts, notes: string[]): void {
    this.ports = ports;
    this.#onPorts(ports, notes);
  }
}
