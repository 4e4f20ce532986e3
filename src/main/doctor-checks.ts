import { execFile } from "node:child_process";
import { accessSync, constants, statfsSync } from "node:fs";
import { promisify } from "node:util";
import { prepareHome } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import { providerEnvironment } from "../config/provider-environment.ts";
import { configuredPath } from "../config/secrets.ts";
import { findCli } from "../server/find-cli.ts";
import type { Check } from "./doctor-command.ts";
import { checkServer, checkWeb, checkWorker } from "./doctor-processes.ts";
import type { MachineContext } from "./machine-commands.ts";
import { loadCheckedConfig } from "./rules.ts";
import type { StatusReport } from "./status-command.ts";

/** Bytes below which a database is likely to fill the disk soon. */
const lowDisk = 1 << 30;

/** All checks, in the order in which one thing needs the other. None throws. */
export async function checkMachine(context: MachineContext, status: StatusReport): Promise<Check[]> {
  const groups = [
    checkNode,
    checkConfig,
    checkHome,
    checkCli,
    checkServer,
    checkWorker,
    checkWeb,
    checkPrograms,
    checkKeys,
  ];
  const results: Check[] = [];
  for (const group of groups) results.push(...(await group(context, status)));
  return results;
}

async function checkNode(): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const usable = major > 22 || (major === 22 && minor >= 18);
  // Node 20 and 22 can abort under floods of signals.
  return [
    {
      ok: usable,
      name: "node",
      detail: `${process.version}${major < 24 ? " (24 is better)" : ""}`,
      next: "install Node 24",
    },
  ];
}

async function checkConfig({ home, environment }: MachineContext): Promise<Check[]> {
  try {
    const config = loadCheckedConfig(home, { environment });
    const warnings = config.warnings.map((text): Check => ({ ok: undefined, name: "configuration", detail: text }));
    return [{ ok: true, name: "configuration", detail: config.file }, ...warnings];
  } catch (error) {
    const { message, next } = error as Error & { next?: string };
    return [{ ok: false, name: "configuration", detail: message, ...(next === undefined ? {} : { next }) }];
  }
}

async function checkHome({ home }: MachineContext): Promise<Check[]> {
  try {
    prepareHome(home);
    accessSync(home.root, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(home.root);
    const free = bavail * bsize;
    return [
      { ok: true, name: "home", detail: home.root },
      {
        ok: free > lowDisk,
        name: "disk",
        detail: `${(free / 2 ** 30).toFixed(1)} GB free`,
        next: `free space under ${home.root}`,
      },
    ];
  } catch (error) {
    return [{ ok: false, name: "home", detail: (error as Error).message, next: "set TEMPI_HOME to a writable folder" }];
  }
}

async function checkCli({ home, environment }: MachineContext): Promise<Check[]> {
  const name = "Temporal CLI";
  const passedOver: string[] = [];
  try {
    const configured = configuredBinary(home, environment);
    const say = (line: string) => passedOver.push(line);
    const found = await findCli({ environment, cache: home.cache, say, ...(configured ? { configured } : {}) });
    if (!found) return [{ ok: false, name, detail: ["not found", ...passedOver].join("; "), next: "tempi up --yes" }];
    return [{ ok: true, name, detail: `${found.version}, by ${found.how}: ${found.path}` }];
  } catch (error) {
    return [{ ok: false, name, detail: (error as Error).message, next: "correct server.binary or TEMPI_TEMPORAL_CLI" }];
  }
}

function configuredBinary(home: MachineContext["home"], environment: NodeJS.ProcessEnv): string | undefined {
  try {
    const binary = loadConfig(home, { environment }).values.server?.binary;
    return binary === undefined ? undefined : configuredPath(binary, home.configFile);
  } catch {
    return undefined; // Told by its own check.
  }
}

async function checkPrograms({ environment }: MachineContext): Promise<Check[]> {
  return await Promise.all(
    ["bash", "git"].map(async (program): Promise<Check> => {
      try {
        const { stdout } = await promisify(execFile)(program, ["--version"], { env: environment, timeout: 5_000 });
        return { ok: true, name: program, detail: stdout.split("\n")[0]! };
      } catch {
        return { ok: false, name: program, detail: "not found on PATH", next: `install ${program}` };
      }
    }),
  );
}

async function checkKeys({ environment }: MachineContext): Promise<Check[]> {
  const names = Object.keys(providerEnvironment(environment));
  return [
    names.length > 0
      ? { ok: true, name: "provider variables", detail: names.join(", ") }
      : {
          ok: undefined,
          name: "provider variables",
          detail: "none set",
          next: 'export OPENAI_API_KEY=... (or the one of another provider), or key = { file = "PATH" } under [providers.NAME] in config.toml',
        },
  ];
}
