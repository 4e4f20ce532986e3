import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Looks for `.git` (a folder, or the file of a worktree) upwards. Reads nothing of it. */
export function repositoryRoot(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
