import { lstat, readlink, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Spaces that models and macOS put where a file's name has a plain one. */
const oddSpaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;
const maximumLinks = 40;

/**
 * The absolute path that a model's spelling means: a leading `@`, `~`, `file://` and odd spaces are understood, and for a
 * file that exists under one of macOS's spellings that one is taken. A spelling that exists as it stands always wins.
 * Links are not followed.
 * @throws Error when the path is empty, holds NUL, or is a URL of another machine
 */
async function resolvePath(path: string, cwd: string): Promise<string> {
  const [literal, ...others] = spellings(path).map((spelling) => resolve(cwd, spelling));
  if (await exists(literal!)) return literal!;
  for (const candidate of others) if (await exists(candidate)) return candidate;
  for (const candidate of others) {
    const variant = await macVariant(candidate);
    if (variant) return variant;
  }
  const variant = await macVariant(literal!);
  if (variant) return variant;
  // A new file below a folder really named `@scope` stays there.
  if (path.startsWith("@") && path.includes("/") && (await exists(resolve(cwd, path.slice(0, path.indexOf("/")))))) {
    return literal!;
  }
  return others.at(-1) ?? literal!;
}

/**
 * The path that tools lock, show and judge: `resolvePath` with every link followed. For a file that does not exist yet it is
 * the real path of the nearest existing folder plus the rest; for a dangling link the place it points at.
 */
export const resolveKey = async (path: string, cwd: string): Promise<string> =>
  realPathOf(await resolvePath(path, cwd));

/** Real path of an absolute path, also when its last parts do not exist. */
export async function realPathOf(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Missing, dangling or not readable: what exists of it is resolved below.
  }
  if (dirname(path) === path) return path;
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined || links >= maximumLinks)
    return join(await realPathOf(dirname(path), links), basename(path));
  return realPathOf(resolve(await realPathOf(dirname(path), links), target), links + 1);
}

/** Whether `path` is `folder` or below it. Both absolute and resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A resolved path as people read it: relative inside `cwd`, with control characters made visible. */
export async function displayPath(key: string, cwd: string): Promise<string> {
  const folder = await realPathOf(cwd);
  return visibleText(isInside(key, folder) ? relative(folder, key) || "." : key);
}

/** Control characters, and those that reorder text, as escapes: nothing in a name may forge a line. */
export const visibleText = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, (character) => {
      if (character === "\n") return "\\n";
      if (character === "\t") return "\\t";
      if (character === "\r") return "\\r";
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });

/** Spellings to try in order; the first is the path as it came (with `~` and URLs expanded). */
function spellings(path: string): string[] {
  if (path === "") throw new Error("The path is empty.");
  if (path.includes("\0")) throw new Error("The path holds a NUL character.");
  const plain = path.replace(oddSpaces, " ");
  const bare = plain.startsWith("@") ? plain.slice(1) || plain : plain;
  return [...new Set([expand(path), expand(plain), expand(bare)])];
}

function expand(path: string): string {
  if (path === "~") return homedir();
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  if (!/^file:/i.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch (error) {
    throw new Error(`Not a path of this machine: ${visibleText(path)} (${(error as Error).message}).`);
  }
}

/** macOS writes screenshots with a narrow space before AM/PM, names in decomposed form, and curly apostrophes. */
async function macVariant(path: string): Promise<string | undefined> {
  const narrow = path.replace(/ (AM|PM)\./gi, "\u202F$1.");
  const curly = path.replaceAll("'", "\u2019");
  const variants = [narrow, path.normalize("NFD"), curly, curly.normalize("NFD"), path.normalize("NFC")];
  for (const variant of variants) if (variant !== path && (await exists(variant))) return variant;
  return undefined;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
