import { constants, open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ToolContext, ToolPreview } from "../agent/tool.ts";
import { withFileErrors } from "./file-errors.ts";
import { displayPath, resolveKey, visibleText } from "./paths.ts";
import { shorten } from "./truncate.ts";

const summaryCharacters = 120;

/** Where a search starts: a folder, or a single file. */
export interface SearchRoot {
  /** Absolute, links followed. */
  path: string;
  /** As the model reads it. */
  shown: string;
  isFolder: boolean;
  /** The folder itself, or the file's. */
  folder: string;
  /** `path` as an argument of a program that runs in `folder`; never looks like an option. */
  argument: string;
}

/**
 * The file or folder that a model's `path` means; without one the workspace.
 * @throws Error with the reason for the model
 */
export async function searchRoot(path: string | undefined, ctx: ToolContext): Promise<SearchRoot> {
  const key = await resolveKey(path ?? ".", ctx.cwd);
  const shown = await displayPath(key, ctx.cwd);
  return withFileErrors(shown, async () => {
    const stats = await stat(key).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw new Error(`There is no file or folder ${shown}.`);
      throw error;
    });
    const isFolder = stats.isDirectory();
    // Opening a pipe would wait for its writer.
    if (!isFolder && !stats.isFile()) throw new Error(`${shown} is a device, pipe or socket, not a file or folder.`);
    await (await open(key, constants.O_RDONLY | constants.O_NONBLOCK)).close();
    const folder = isFolder ? key : dirname(key);
    return { path: key, shown, isFolder, folder, argument: isFolder ? "./" : `./${basename(key)}` };
  });
}

/** The same, for tools that look at folders only. `advice` says what to do with a file. */
export async function searchFolder(path: string | undefined, advice: string, ctx: ToolContext): Promise<SearchRoot> {
  const root = await searchRoot(path, ctx);
  if (!root.isFolder) throw new Error(`${root.shown} is a file, not a folder. ${advice}`);
  return root;
}

/** A path below the root as the model reads it, so that the other tools understand it too. */
export function shownBelow(root: SearchRoot, name: Buffer): string {
  if (!root.isFolder) return root.shown;
  return join(root.shown, visibleName(name));
}

/** A name as text: bytes that are not UTF-8 as `\xE9`, control characters as escapes. */
export function visibleName(name: Buffer): string {
  const text = name.toString("utf8");
  // Only a name that is not UTF-8 comes back as other bytes.
  if (Buffer.from(text).equals(name)) return visibleText(text);
  let shown = "";
  for (let start = 0; start < name.length; ) {
    const length = characterLength(name, start);
    if (length > 0) shown += visibleText(name.toString("utf8", start, start + length));
    else shown += `\\x${name[start]!.toString(16).toUpperCase().padStart(2, "0")}`;
    start += Math.max(1, length);
  }
  return shown;
}

/** Bytes of the UTF-8 character at `start`; 0 when there is none. */
function characterLength(bytes: Buffer, start: number): number {
  const first = bytes[start]!;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  const character = bytes.subarray(start, start + length);
  return Buffer.from(character.toString("utf8")).equals(character) ? length : 0;
}

/** Does not look at the path: an earlier call of the same answer may be about to create it. */
export async function previewSearch(
  path: string | undefined,
  what: string | undefined,
  ctx: ToolContext,
): Promise<ToolPreview> {
  const key = await resolveKey(path ?? ".", ctx.cwd);
  const shown = await displayPath(key, ctx.cwd);
  const summary = what === undefined ? shown : `${visibleText(what)} in ${shown}`;
  return {
    summary: shorten(summary, summaryCharacters),
    display: [{ kind: "text", text: key }],
    paths: [{ path: key, access: "read" }],
    digestParts: [],
  };
}
