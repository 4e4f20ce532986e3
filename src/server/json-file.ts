import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Reads a JSON file that another process may be replacing; undefined when it is absent or not whole. */
export function readJsonFile<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch {
    return undefined;
  }
}

/** Replaces a JSON file at once (0600): readers see the old or the new one. */
export function writeJsonFile(path: string, value: unknown): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
