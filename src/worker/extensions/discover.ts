import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Home } from "../../config/home.ts";

/** A file that may be an extension, with its content's hash. */
export interface ExtensionFile {
  path: string;
  hash: string;
}

const endings = [".ts", ".mts", ".js", ".mjs"];

/** Folder of the user's own extensions. */
export const userExtensions = (home: Home): string => join(dirname(home.configFile), "extensions");

/** Folder of a workspace's extensions: counts only after it was trusted. */
export const workspaceExtensions = (cwd: string): string => join(cwd, ".tempi", "extensions");

/** Extensions of a folder, sorted by name: files, and `index` files of folders in it. A missing folder holds none. */
export async function extensionFiles(folder: string): Promise<ExtensionFile[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isFile() && isModule(entry.name)) found.push(path);
    else if (entry.isDirectory()) {
      const index = (await entriesOf(path)).find(({ name }) => isModule(name) && name.startsWith("index."));
      if (index) found.push(join(path, index.name));
    }
  }
  found.sort();
  return await Promise.all(found.map(async (path) => ({ path, hash: hashOf(await readFile(path)) })));
}

/** Hash over every file below a folder, names and contents: what trusting the folder covers. `undefined` = nothing there. */
export async function folderHash(folder: string): Promise<string | undefined> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!names) return undefined;
  const hash = createHash("sha256");
  const paths = names.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length === 0) return undefined;
  for (const path of paths.sort()) {
    hash.update(`${path.slice(folder.length)}\0`).update(hashOf(await readFile(path).catch(() => Buffer.alloc(0))));
  }
  return hash.digest("hex");
}

const isModule = (name: string): boolean => endings.some((ending) => name.endsWith(ending)) && !name.endsWith(".d.ts");
const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

async function entriesOf(folder: string) {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}
