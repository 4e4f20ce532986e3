import { access, constants, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";

/**
 * Real path of the program that a name means, looked up as a shell does.
 * @param cwd folder that a name with a slash and relative entries of the search path start from
 * @returns undefined when there is none
 */
export async function findProgram(name: string, searchPath: string, cwd: string): Promise<string | undefined> {
  if (name === "") return undefined;
  if (name.includes("/")) return await executable(resolve(cwd, name));
  for (const folder of searchPath.split(":")) {
    const found = await executable(join(isAbsolute(folder) ? folder : resolve(cwd, folder), name));
    if (found) return found;
  }
  return undefined;
}

/** The first of some absolute paths that can be run, else the name on the search path. */
export async function findTool(
  candidates: readonly string[],
  name: string,
  searchPath: string,
): Promise<string | undefined> {
  for (const candidate of candidates) if (await executable(candidate)) return candidate;
  return await findProgram(name, searchPath, "/");
}

async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}
