import { open, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";

/** A file of instructions for the model. `note` says what was left out of it. */
export interface ContextFile {
  path: string;
  text: string;
  note?: string;
}

const maximumBytes = 64 * 1024;

/** Of each folder only the first that exists counts. */
const names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];

/** Where the user's own instructions and settings stand: TEMPI_HOME, else the configuration folder. */
function defaultUserFolder(): string {
  const { TEMPI_HOME, XDG_CONFIG_HOME } = process.env;
  return TEMPI_HOME || join(XDG_CONFIG_HOME || join(homedir(), ".config"), "tempi");
}

/**
 * The instructions for a workspace: the user folder's, then those of every folder from the root down to `cwd`. Files above
 * 64 KB are cut with a note; one that cannot be read is passed over. Never rejects.
 */
export async function loadContextFiles(
  cwd: string,
  { userFolder = defaultUserFolder() }: { userFolder?: string } = {},
): Promise<ContextFile[]> {
  const folders = [
    resolve(userFolder),
    ...foldersDownTo(resolve(cwd)).filter((folder) => folder !== resolve(userFolder)),
  ];
  const owners = new Set([0, process.getuid?.() ?? 0, (await stat(cwd).catch(() => undefined))?.uid ?? 0]);
  const files = await Promise.all(
    folders.map(async (folder, at) => {
      for (const name of names) {
        const file = await readContextFile(join(folder, name), at === 0, owners);
        if (file) return file;
      }
      return undefined;
    }),
  );
  return files.filter((file) => file !== undefined);
}

function foldersDownTo(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...foldersDownTo(parent), folder];
}

async function readContextFile(
  path: string,
  isUsersOwn: boolean,
  owners: ReadonlySet<number>,
): Promise<ContextFile | undefined> {
  try {
    const [target, info] = await Promise.all([realpath(path), stat(path)]);
    if (!info.isFile()) return undefined;
    // A stranger's file in a shared folder such as /tmp must not instruct the model.
    if (!isUsersOwn && process.platform !== "win32" && !owners.has(info.uid)) return undefined;
    // A repository's link must not send a private file (a key, a password list) to the endpoint as "instructions".
    const leavesFolder = relative(await realpath(dirname(path)), target).startsWith("..");
    if (!isUsersOwn && leavesFolder && !basename(target).endsWith(".md")) return undefined;
    const bytes = await readStart(path, maximumBytes + 1);
    const cut = bytes.length > maximumBytes;
    // The decoder drops a BOM, and as a stream also a character that the cut went through.
    const text = new TextDecoder().decode(bytes.subarray(0, maximumBytes), { stream: cut });
    if (text.trim() === "") return undefined;
    return cut
      ? { path, text, note: `cut after 64 KB of ${info.size} bytes; read the file for the rest` }
      : { path, text };
  } catch {
    return undefined;
  }
}

async function readStart(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const { bytesRead } = await file.read(buffer, filled, count - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}
