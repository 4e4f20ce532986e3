import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { cliVersion, isNewEnough, minimumCliVersion } from "./cli-version.ts";
import { downloadCli, downloadedVersion } from "./download-cli.ts";
import { ServerError } from "./errors.ts";

/** A usable Temporal CLI and which step found it. */
export interface FoundCli {
  path: string;
  version: string;
  how: "configured" | "TEMPI_TEMPORAL_CLI" | "PATH" | "cache" | "downloaded";
}

export interface FindCliOptions {
  /** `server.binary` of the configuration: an absolute path. */
  configured?: string;
  environment: NodeJS.ProcessEnv;
  /** Folder of downloaded binaries. */
  cache: string;
  /** Progress and what was passed over, for stderr. */
  say: (line: string) => void;
}

/**
 * Looks for the CLI: configured path, TEMPI_TEMPORAL_CLI, `temporal` on PATH, cache. Undefined when none is there. Throws
 * ServerError when a path that somebody named is not usable: falling back silently would hide the mistake.
 */
export async function findCli(options: FindCliOptions): Promise<FoundCli | undefined> {
  const memory = join(options.cache, "cli-version.json");
  const named: [string | undefined, "configured" | "TEMPI_TEMPORAL_CLI"][] = [
    [options.configured, "configured"],
    [options.environment.TEMPI_TEMPORAL_CLI, "TEMPI_TEMPORAL_CLI"],
  ];
  for (const [path, how] of named) {
    if (!path) continue;
    const source = how === "configured" ? "server.binary" : how;
    if (!isAbsolute(path)) throw new ServerError(`${source} must be an absolute path, not "${path}"`, { exitCode: 2 });
    const version = await cliVersion(path, memory);
    if (version === undefined) {
      throw new ServerError(`${source} is ${path}, which is not a Temporal CLI that runs here`, {
        exitCode: 2,
        next: "correct the path, or remove the setting",
      });
    }
    if (!isNewEnough(version)) throw tooOld(path, version);
    return { path, version, how };
  }
  for (const folder of (options.environment.PATH ?? "").split(delimiter)) {
    const path = join(folder, "temporal");
    if (!isAbsolute(folder) || !isExecutable(path)) continue;
    const version = await cliVersion(path, memory);
    if (version === undefined) continue;
    if (isNewEnough(version)) return { path, version, how: "PATH" };
    options.say(`${path} is version ${version}; ${minimumCliVersion} is needed, so it is passed over`);
  }
  const cached = join(options.cache, `temporal-${downloadedVersion}`);
  const version = isExecutable(cached) ? await cliVersion(cached, memory) : undefined;
  return version === undefined ? undefined : { path: cached, version, how: "cache" };
}

/**
 * As `findCli`, and downloads what is missing: with `yes`, or after `ask` (a question for the terminal) was answered with
 * yes. Without either throws ServerError that names the commands.
 */
export async function findOrDownloadCli(
  options: FindCliOptions & { yes: boolean; ask?: (question: string) => Promise<boolean> },
): Promise<FoundCli> {
  const found = await findCli(options);
  if (found) return found;
  const question = `The Temporal CLI (this machine's server, 45 MB to download, 160 MB on disk) is missing. Download it to ${options.cache}?`;
  if (!options.yes && !(await options.ask?.(question))) {
    throw new ServerError("the Temporal CLI, which is this machine's server, is not installed", {
      next: "tempi up --yes (downloads it, 45 MB), or install `temporal`, or set TEMPI_TEMPORAL_CLI=/path/to/temporal",
    });
  }
  const path = await downloadCli({ cache: options.cache, environment: options.environment, say: options.say });
  const version = await cliVersion(path, join(options.cache, "cli-version.json"));
  if (version === undefined) throw new ServerError(`the downloaded ${path} does not run on this machine`);
  if (!isNewEnough(version)) throw tooOld(path, version);
  return { path, version, how: "downloaded" };
}

const tooOld = (path: string, version: string): ServerError =>
  new ServerError(`${path} is Temporal CLI ${version}; at least ${minimumCliVersion} is needed`, {
    exitCode: 2,
    next: "update it, or remove the setting and run tempi up --yes",
  });

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
