import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ProjectFile {
  /** Relative to the repository, with `/`. */
  path: string;
  text: string;
}

export const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));

const binary = /\.(png|jpe?g|gif|webp|ico|woff2?|pdf|zip|gz|db)$/;

/** Text files that git tracks or would track: also what a colleague has not committed yet. */
export function projectFiles(): ProjectFile[] {
  const list = execFileSync(
    "git",
    ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: repositoryRoot, encoding: "utf8" },
  );
  return list
    .split("\0")
    .filter((path) => path !== "" && !binary.test(path) && existsSync(join(repositoryRoot, path)))
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), "utf8") }));
}

/** TypeScript and the extensionless programs of `bin/`. */
export const isSource = (path: string): boolean =>
  (/\.(ts|tsx|mts)$/.test(path) && !path.endsWith(".d.ts")) || /^bin\/[^.]+$/.test(path);
