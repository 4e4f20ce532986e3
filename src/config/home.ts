import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

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
    throw new HomeError(`TEMPI_HOME must be an absolute path, not "${explicit}".`);
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

export class HomeError extends Error {}

/** Creates the folders (0700) that are missing. */
export function prepareHome(home: Home): void {
  try {
    for (const folder of [home.root, home.run, home.logs, home.cache, home.calls, home.blobs]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
  } catch (error) {
    throw new HomeError(`cannot create ${home.root}: ${(error as Error).message}`);
  }
}

/** Id of this machine's home: names the task queue. Made once. */
export const machineIdOf = (home: Home): string =>
  secretFile(join(home.root, "machine-id"), () => randomBytes(6).toString("hex"));

/** Key (hex) that signs decisions. Made once, readable by the user only. */
export const decisionKeyOf = (home: Home): string =>
  secretFile(join(home.root, "decision.key"), () => randomBytes(32).toString("hex"));

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
