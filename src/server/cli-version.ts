import { execFile } from "node:child_process";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { readJsonFile, writeJsonFile } from "./json-file.ts";

/** Oldest Temporal CLI whose start-dev has all that is asked of it. */
export const minimumCliVersion = "1.9.0";

/**
 * Version of a Temporal CLI, or undefined when the file is none. Remembered in `memory` by path, size and time of change: asking
 * costs 50 ms and more, at every start.
 */
export async function cliVersion(path: string, memory: string): Promise<string | undefined> {
  let key: string;
  try {
    const real = realpathSync(path);
    const stat = statSync(real);
    if (!stat.isFile()) return undefined;
    key = `${real}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    return undefined;
  }
  const known = readJsonFile<Record<string, string>>(memory) ?? {};
  if (known[key]) return known[key];
  const version = await askVersion(path);
  if (version !== undefined) remember(memory, { [key]: version });
  return version;
}

/** A folder that cannot be written costs 50 ms a start, nothing else. */
function remember(memory: string, versions: Record<string, string>): void {
  try {
    mkdirSync(dirname(memory), { recursive: true, mode: 0o700 });
    writeJsonFile(memory, versions);
  } catch {
    // Asked again next time.
  }
}

/** Whether a version is at least `minimumCliVersion`. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = minimumCliVersion.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

async function askVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: 10_000 });
    return /temporal version (\d+\.\d+\.\d+\S*)/i.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
