import { createHash } from "node:crypto";
import { lstat, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { commandsIn } from "./find-commands.ts";
import { interpreters, programOf, shells } from "./program-kinds.ts";

/** Files that say what a runner runs, by program; each folder of the command is looked in. */
const definitions: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    ["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"].map((name) => [
      name,
      ["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml"],
    ]),
  ),
  ...Object.fromEntries(["make", "gmake"].map((name) => [name, ["GNUmakefile", "makefile", "Makefile"]])),
  just: ["justfile", "Justfile", ".justfile"],
  tox: ["tox.ini", "pyproject.toml", "setup.cfg"],
  nox: ["noxfile.py"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  deno: ["deno.json", "deno.jsonc", "package.json"],
  ...Object.fromEntries(["uv", "poetry", "pdm", "hatch"].map((name) => [name, ["pyproject.toml"]])),
};

const sourcing = new Set(["source", "."]);
/** A line that names more of them is never one that a rule allows. */
const maximumFiles = 500;
/** Larger files are known by their state alone. Bytes. */
const maximumHashed = 32 * 1024 * 1024;

/** A file that decides what a command runs. */
export interface Script {
  /** Absolute. */
  path: string;
  /** Of its content; `none` when there is no such file. */
  hash: string;
  /** When content or mode last changed, milliseconds since 1970. */
  changedAt?: number;
}

/**
 * The files of the workspace that hold the meaning of a line: `package.json` for `npm test`, a Makefile, a script that is
 * named. A definition that is missing is told too, because it may appear.
 * @param cwd absolute; where the command runs
 */
export async function scriptsOf(line: string, cwd: string): Promise<Script[]> {
  const { commands } = commandsIn(line);
  const words = commands.flat().filter((word) => word !== undefined);
  const folders = new Set([cwd, ...(await existing(words, cwd, "folder"))]);
  const paths = new Set<string>();
  for (const [name, ...rest] of commands) {
    if (name === undefined) continue;
    const program = programOf(name);
    const defined = Object.hasOwn(definitions, program) ? definitions[program]! : [];
    for (const folder of folders) for (const file of defined) paths.add(join(folder, file));
    if (name.includes("/")) for (const path of await existing([name], cwd, "file")) paths.add(path);
    if (defined.length === 0 && !shells.has(program) && !interpreters.has(program) && !sourcing.has(program)) continue;
    const named = rest.flatMap((word) => (word === undefined ? [] : namesIn(word)));
    const modules = rest.flatMap((word, index) => (word === "-m" ? moduleFiles(rest[index + 1]) : []));
    for (const path of await existing([...named, ...modules], cwd, "file")) paths.add(path);
  }
  if (paths.size > maximumFiles) return [{ path: cwd, hash: "too many files", changedAt: Number.POSITIVE_INFINITY }];
  return await Promise.all([...paths].map(scriptAt));
}

/** Parts of a digest: the same line with another script is another thing. */
export const scriptParts = async (line: string, cwd: string): Promise<string[]> =>
  (await scriptsOf(line, cwd)).map(({ path, hash }) => `script ${path} ${hash}`);

const namesIn = (word: string): string[] => (word.includes("=") ? [word, word.slice(word.indexOf("=") + 1)] : [word]);

function moduleFiles(name: string | undefined): string[] {
  if (name === undefined) return [];
  const path = name.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`];
}

async function existing(words: readonly string[], cwd: string, kind: "file" | "folder"): Promise<string[]> {
  const found: string[] = [];
  for (const word of new Set(words)) {
    if (word === "" || word.length > 4_096 || word.includes("\0")) continue;
    const path = resolve(cwd, word);
    const stats = await stat(path).catch(() => undefined);
    if (kind === "file" ? stats?.isFile() : stats?.isDirectory()) found.push(path);
    if (found.length > maximumFiles) break;
  }
  return found;
}

async function scriptAt(path: string): Promise<Script> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return { path, hash: "none" };
    // A link that was pointed elsewhere is another script too.
    const changedAt = Math.max(stats.ctimeMs, (await lstat(path)).ctimeMs);
    if (stats.size > maximumHashed) return { path, hash: `${stats.ino} ${stats.size} ${changedAt}`, changedAt };
    return {
      path,
      hash: createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
      changedAt,
    };
  } catch {
    return { path, hash: "none" };
  }
}
