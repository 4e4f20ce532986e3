import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { UserError } from "./errors.ts";

/** Where everything of one installation lives on this machine. Paths are absolute; folders are 0700. */
export interface Home {
  root: string;
  /** Whether TEMPI_HOME chose it (then configuration is inside it too). */
  explicit: boolean;
  configFile: string;
  /** SQLite database of the local Temporal server. */
  databaseFile: string;
  /** Pid files, sockets, state of running processes. */
  run: string;
  logs: string;
  /** Downloaded binaries. */
  cache: string;
  /** Folder per session and call: journal, spooled output, exit code. */
  calls: string;
  blobs: string;
}

export function homeOf(environment: NodeJS.ProcessEnv = process.env): Home {
  const explicit = environment.TEMPI_HOME;
  if (explicit !== undefined && explicit !== "" && !isAbsolute(explicit)) {
    throw new HomeError(`TEMPI_HOME must be an absolute path, not "${explicit}".`, "export TEMPI_HOME=/absolute/path");
  }
  const state = environment.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const root = explicit || join(state, "tempi");
  const config = explicit ? explicit : join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "tempi");
  return {
    root,
    explicit: Boolean(explicit),
    configFile: join(config, "config.toml"),
    databaseFile: join(root, "temporal.db"),
    run: join(root, "run"),
    logs: join(root, "logs"),
    cache: join(root, "cache"),
    calls: join(root, "calls"),
    blobs: join(root, "blobs"),
  };
}

/** What a ready worker writes about itself, and removes at a clean end. */
export interface WorkerFile {
  pid: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  version: string;
  address: string;
  namespace: string;
  /** Path of the live socket. */
  socket: string;
}

export const workerFileOf = (home: Home): string => join(home.run, "worker.json");

/** What a ready web process writes about itself, and removes at a clean end. */
export interface WebFile {
  pid: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  version: string;
  port: number;
  /** Address on this machine, without token. */
  url: string;
  /** Address of this machine in the local network that it also listens on. */
  lan?: string;
  /** Address of the proxy in front of it. */
  publicUrl?: string;
}

export const webFileOf = (home: Home): string => join(home.run, "web.json");

/** Exit code 2: the folder of this installation cannot be used. */
export class HomeError extends UserError {
  constructor(message: string, next: string) {
    super(message, { exitCode: 2, next });
    this.name = "HomeError";
  }
}

/** Variables that make `homeOf` of another process find the same home, whatever else it inherits. */
export function homeEnvironment(home: Home): Record<string, string> {
  if (home.explicit) return { TEMPI_HOME: home.root };
  return { TEMPI_HOME: "", XDG_STATE_HOME: dirname(home.root), XDG_CONFIG_HOME: dirname(dirname(home.configFile)) };
}

/** Creates the folders (0700) that are missing. */
export function prepareHome(home: Home): void {
  try {
    for (const folder of [home.root, home.run, home.logs, home.cache, home.calls, home.blobs]) {
      makeFolder(folder);
    }
  } catch (error) {
    throw new HomeError(
      `cannot create ${home.root}: ${(error as Error).message}.`,
      "make that folder writable, or set TEMPI_HOME to one that is",
    );
  }
}

/**
 * Creates a folder and those above it. Not by `recursive`: where the system says "not found" for a folder whose parent is there,
 * as below /proc, Node tries for ever.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Two processes that start at once.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Id of this machine's home: names the task queue. Made once. */
export const machineIdOf = (home: Home): string =>
  secretFile(join(home.root, "machine-id"), () => randomBytes(6).toString("hex"));

/** Key (hex) that signs decisions. Made once, readable by the user only. */
export const decisionKeyOf = (home: Home): string =>
  secretFile(join(home.root, "decision.key"), () => randomBytes(32).toString("hex"));

/** Key (hex) under which provider variables are fingerprinted, so that a fingerprint says nothing about the value. */
export const fingerprintKeyOf = (home: Home): string =>
  secretFile(join(home.root, "fingerprint.key"), () => randomBytes(32).toString("hex"));

/** Token of the web page's link: who has it acts as this user. Made once, readable by the user only. */
export const webTokenOf = (home: Home): string =>
  secretFile(join(home.root, "web.token"), () => randomBytes(32).toString("base64url"));

/** Reads a one-line file, or creates it whole: two processes that start at once agree on one content. */
function secretFile(path: string, make: () => string): string {
  if (!existsSync(path)) {
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
    writeFileSync(temporary, `${make()}\n`, { mode: 0o600, flag: "wx" });
    try {
      linkSync(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
  return readFileSync(path, "utf8").trim();
}
