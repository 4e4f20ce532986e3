import { randomBytes } from "node:crypto";
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readJsonFile } from "./json-file.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

/** A lock file held by this process. Ends with `release` or with the process: a dead holder's lock is taken over. */
export interface Lock {
  release(): void;
}

/** Takes the lock, or tells who holds it. Never waits. */
export function tryLock(path: string): Lock | { holder: ProcessIdentity } {
  const own = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const identity = identityOf(process.pid)!;
  writeFileSync(own, JSON.stringify(identity), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      if (linked(own, path)) return { release: () => releaseOwn(path, identity) };
      const holder = readJsonFile<ProcessIdentity>(path);
      if (isAlive(holder)) return { holder };
      breakStale(path);
    }
    throw new Error(`cannot take the lock ${path}`);
  } finally {
    rmSync(own, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Moves a dead holder's lock aside. Another process may have replaced it meanwhile: then it is put back. */
function breakStale(path: string): void {
  const aside = `${path}.stale.${randomBytes(4).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (isAlive(readJsonFile<ProcessIdentity>(aside))) linked(aside, path);
  rmSync(aside, { force: true });
}

function releaseOwn(path: string, identity: ProcessIdentity): void {
  const holder = readJsonFile<ProcessIdentity>(path);
  if (holder?.pid === identity.pid && holder.start === identity.start) rmSync(path, { force: true });
}
