import { randomBytes } from "node:crypto";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Makes the entries of a folder (new names, renames) survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync a folder.
    if (!["EINVAL", "ENOTSUP", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a record that must be on disk, whole, before what it announces happens. Mode 0600; replaces an older one. */
export async function writeRecord(path: string, record: unknown): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeSynced(temporary, JSON.stringify(record));
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/**
 * Creates a record that no other attempt may have made before; an empty file for `undefined`.
 * @returns false when the file was there already; then nothing was written
 */
export async function createRecord(path: string, record: unknown): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeSynced(temporary, record === undefined ? "" : JSON.stringify(record));
  try {
    // A link appears whole or not at all, and never replaces.
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export interface Replacement {
  /** Resolved path of the file, links followed. */
  path: string;
  content: Uint8Array;
  /** Name of the temporary file, in the same folder, so that a later attempt can remove it. */
  temporaryName: string;
  /** What the file was; absent for a new one. Mode and owner are kept. */
  before?: { mode: number; uid: number; gid: number };
  /** Runs just before the rename; throwing leaves the file as it is. */
  check: () => Promise<void>;
}

/** A random name that an attacker cannot prepare; independent of the file's, which may have 255 bytes already. */
export const temporaryNameFor = (): string => `.tempi-${randomBytes(8).toString("hex")}.tmp`;

/** Puts whole content in a file's place: readers and crashes see the old or the new bytes, nothing else. */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { path, content, before } = replacement;
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, replacement.temporaryName);
  const handle = await open(temporary, "wx", before ? 0o600 : 0o666);
  try {
    try {
      await handle.writeFile(content);
      if (before) {
        // Another owner can only be kept by root; the content matters more.
        await handle.chown(before.uid, before.gid).catch(() => undefined);
        await handle.chmod(before.mode & 0o7777);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await replacement.check();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}
