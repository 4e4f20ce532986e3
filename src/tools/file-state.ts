import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";

/** Largest file, in bytes, that is loaded to be edited or compared. Larger ones are only hashed. */
export const maximumLoadedBytes = 20 * 1024 * 1024;

/** What stands at a path now. `absent` has its own hash, so that "was not there" can be compared too. */
export type FileState =
  | { exists: false; hash: "absent" }
  | {
      exists: true;
      /** SHA-256, hex. */
      hash: string;
      size: number;
      mode: number;
      uid: number;
      gid: number;
      /** Missing for files above `maximumLoadedBytes`. */
      content?: Buffer;
    };

/**
 * Reads a regular file with its hash.
 * @throws the system's error; EISDIR for a folder; an Error for devices, pipes and sockets
 */
export async function readFileState(path: string): Promise<FileState> {
  let stats: Awaited<ReturnType<typeof stat>>;
  try {
    stats = await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { exists: false, hash: "absent" };
    throw error;
  }
  if (stats.isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
  if (!stats.isFile()) throw new Error("It is a device, pipe or socket, not a regular file.");
  const { size, mode, uid, gid } = stats;
  if (size > maximumLoadedBytes) return { exists: true, hash: await hashFile(path), size, mode, uid, gid };
  const content = await readFile(path);
  return { exists: true, hash: hashOf(content), size: content.length, mode, uid, gid, content };
}

/** @throws EACCES when the file is there but read-only: replacing it by rename would get around that */
export async function assertWritable(path: string, state: FileState): Promise<void> {
  // Opening asks what access() does not: the rights this process has now, read-only mounts, running programs.
  if (state.exists) await (await open(path, "r+")).close();
}

export const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
