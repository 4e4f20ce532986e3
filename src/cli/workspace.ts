import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { UserError } from "../config/errors.ts";
import { repositoryRoot } from "../config/repository.ts";

export interface Workspace {
  /** Absolute, links followed. */
  cwd: string;
  /** Folder of the git repository, else the workspace. */
  root: string;
  /** Name of that folder. */
  repository: string;
}

/**
 * The folder a session works in, checked. The home folder and those above it need `--yes`: an agent there can reach everything. `next` is the next
 * step in an error, where it is not the command line's.
 */
export function workspaceOf(
  base: string,
  given: string | undefined,
  options: { yes: boolean; next?: string },
): Workspace {
  const path = resolve(base, given ?? ".");
  const shown = JSON.stringify(path);
  const next = { next: options.next ?? "tempi run --cwd FOLDER …" };
  let cwd: string;
  try {
    cwd = realpathSync(path);
    if (!statSync(cwd).isDirectory()) throw new UserError(`the workspace ${shown} is a file, not a folder.`, next);
    accessSync(cwd, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const cause =
      code === "ENOENT" ? "does not exist" : code === "EACCES" ? "cannot be read" : `cannot be used (${code})`;
    throw new UserError(`the workspace ${shown} ${cause}.`, { ...next, cause: error });
  }
  if (!options.yes && (cwd === "/" || `${realHome()}/`.startsWith(`${cwd}/`))) {
    const what =
      cwd === "/"
        ? "the root folder"
        : cwd === realHome()
          ? "your home folder"
          : "a folder that holds your home folder";
    throw new UserError(`${what} as workspace would let the agent work on everything in it.`, {
      next: options.next ?? "tempi run --cwd FOLDER …, or the same command with --yes",
    });
  }
  const root = repositoryRoot(cwd) ?? cwd;
  return { cwd, root, repository: basename(root) || root };
}

/** Where the person stands, for `last` and `--here`; never refuses. */
export function standpoint(base: string): Workspace {
  const root = repositoryRoot(base) ?? base;
  return { cwd: base, root, repository: basename(root) || root };
}

function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    return homedir();
  }
}
