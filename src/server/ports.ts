import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { ServerError } from "./errors.ts";
import { readJsonFile, writeJsonFile } from "./json-file.ts";
import { type Lock, tryLock } from "./lock.ts";

/** Ports of one home's server. */
export interface ServerPorts {
  grpc: number;
  ui: number;
}

/** First candidates; a home keeps what it got. */
const firstWebPort = 7611;
const firstPorts: ServerPorts = { grpc: 7633, ui: 7612 };

/** The ports in use now. `release` gives up the claim on them. */
export interface ChosenPorts extends ServerPorts {
  /** What to tell the person: a kept port was taken by something else. */
  notes: string[];
  release(): void;
}

/**
 * Chooses the ports: those kept in `file`, else free ones from 7633 and 7612, which are then kept. When a kept port is taken
 * the next free one is used this time only, so that links come back to life when the other program is gone.
 */
export async function choosePorts(file: string, first: ServerPorts = firstPorts): Promise<ChosenPorts> {
  const kept = readJsonFile<ServerPorts>(file);
  const notes: string[] = [];
  const claims: Lock[] = [];
  const chosen: ServerPorts = { grpc: 0, ui: 0 };
  for (const name of ["grpc", "ui"] as const) {
    const start = kept?.[name] ?? first[name];
    const claim = await claimFrom(start);
    claims.push(claim);
    chosen[name] = claim.port;
    if (kept && claim.port !== start) {
      const what = name === "ui" ? "the Temporal UI" : "the Temporal server";
      notes.push(`port ${start} of ${what} is taken by another program; this time it is ${claim.port}`);
    }
  }
  if (!kept) writeJsonFile(file, chosen);
  return { ...chosen, notes, release: () => claims.forEach((claim) => void claim.release()) };
}

/** The web page's port in use now. */
export interface ChosenPort {
  port: number;
  /** What to tell the person: the port was taken by something else. */
  note?: string;
  release(): void;
}

/**
 * The web page's port: `configured`, else the one kept in `file`, else a free one from 7611, which is then kept. Taken: the
 * next free one, this time only.
 */
export async function chooseWebPort(file: string, configured: number | undefined): Promise<ChosenPort> {
  const kept = configured ?? readJsonFile<{ port: number }>(file)?.port;
  const claim = await claimFrom(kept ?? firstWebPort);
  const { port, release } = claim;
  if (kept === undefined) writeJsonFile(file, { port });
  if (kept === undefined || kept === port) return { port, release };
  return { port, release, note: `port ${kept} of the web page is taken by another program; this time it is ${port}` };
}

/** Whether nothing listens on this loopback port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function claimFrom(start: number): Promise<Lock & { port: number }> {
  const folder = join(tmpdir(), `tempi-ports-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let port = start; port < start + 200 && port < 65_536; port++) {
    // Two homes that start at once both see the port free: the claim decides, before either server listens.
    const lock = tryLock(join(folder, String(port)));
    if ("holder" in lock) continue;
    if (await isFree(port)) return { port, release: lock.release };
    lock.release();
  }
  throw new ServerError(`no port between ${start} and ${start + 199} is free on 127.0.0.1`, { next: "tempi doctor" });
}
