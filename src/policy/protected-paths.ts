import { resolve } from "node:path";
import { realPathOf } from "../tools/paths.ts";

/** Folders whose files make programs run something, or decide about tempi itself. Anywhere in a path. */
const protectedFolders = new Set([".git", ".tempi", ".vscode", ".idea", ".cursor", ".claude", ".ssh"]);

/** Files of the same kind, by name, in any folder: a dotfiles repository may be linked into the home folder. */
const protectedFiles = new Set(
  `.mcp.json .gitconfig
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile
  .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .mkshrc .cshrc .tcshrc .login .logout config.fish`.split(/\s+/),
);

/**
 * Whether writing a path asks a person at every approval level. Spelling does not matter: case, `./`, `//`, a trailing
 * slash, characters nobody sees, links; nor does it matter whether the file exists.
 * @param path absolute or relative to `cwd`
 * @param homeFolders absolute files and folders that are protected with all they hold, such as tempi's own
 */
export async function isProtected(path: string, cwd: string, homeFolders: readonly string[]): Promise<boolean> {
  const absolute = resolve(cwd, path);
  const real = await realPathOf(absolute);
  // A folder's own link is judged by both names: `.git` may be a link out, and `x` a link to `.git`.
  if ([absolute, real].some(hasProtectedName)) return true;
  const folders = await Promise.all(homeFolders.map(async (folder) => [resolve(folder), await realPathOf(folder)]));
  const candidates = [partsOf(absolute), partsOf(real)];
  return folders.flat().some((folder) => candidates.some((parts) => startsWith(parts, partsOf(folder))));
}

function hasProtectedName(path: string): boolean {
  const parts = partsOf(path);
  return parts.some((part) => protectedFolders.has(part)) || protectedFiles.has(parts.at(-1) ?? "");
}

/** Names as a careless file system compares them: without case, in one Unicode form, without ignorable characters. */
const partsOf = (path: string): string[] =>
  path
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u200C-\u200F\u202A-\u202E\u2060\u206A-\u206F\uFEFF]/g, "")
    .split("/")
    .map((part) => part.replace(/[. ]+$/, "") || part)
    .filter((part) => part !== "" && part !== ".");

const startsWith = (parts: string[], folder: string[]): boolean =>
  folder.length > 0 && folder.every((part, index) => parts[index] === part);
