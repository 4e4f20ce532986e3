import { execFile } from "node:child_process";
import { accessSync, constants, statfsSync } from "node:fs";
import { promisify } from "node:util";
import { prepareHome } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import { providerEnvironment } from "../config/provider-environment.ts";
import { configuredPath } from "../config/secrets.ts";
import { searchAttributes } from "../protocol/session.ts";
import { findCli } from "../server/find-cli.ts";
import { readJsonFile } from "../server/json-file.ts";
import { isFree, type ServerPorts } from "../server/ports.ts";
import { isAlive } from "../server/process-identity.ts";
import {
  connectTemporal,
  readRetentionDays,
  retentionDays,
  wrongSearchAttributes,
} from "../server/temporal-service.ts";
import type { Check } from "./doctor-command.ts";
import type { MachineContext } from "./machine-commands.ts";
import { portsFileOf, readUp } from "./up-state.ts";

/** Bytes below which a database is likely to fill the disk soon. */
const lowDisk = 1 << 30;

/** All checks, in the order in which one thing needs the other. None throws. */
export async function checkMachine(context: MachineContext): Promise<Check[]> {
  const groups = [checkNode, checkConfig, checkHome, checkCli, checkServer, checkWorker, checkPrograms, checkKeys];
  const results: Check[] = [];
  for (const group of groups) results.push(...(await group(context)));
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
    const config = loadConfig(home, { environment });
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

async function checkServer({ home }: MachineContext): Promise<Check[]> {
  const up = readUp(home);
  if (!up) {
    const kept = readJsonFile<ServerPorts>(portsFileOf(home));
    const taken: number[] = [];
    for (const port of kept ? [kept.grpc, kept.ui] : []) if (!(await isFree(port))) taken.push(port);
    const ports: Check =
      taken.length > 0
        ? {
            ok: undefined,
            name: "ports",
            detail: `${taken.join(", ")} taken by another program; the next free ones will be used`,
          }
        : { ok: true, name: "ports", detail: kept ? `${kept.grpc} and ${kept.ui} are free` : "not chosen yet" };
    return [ports, { ok: undefined, name: "server", detail: "not running", next: "tempi up --detach" }];
  }
  try {
    const connection = await connectTemporal({ address: up.address });
    try {
      const answers: Check = { ok: true, name: "server", detail: `answers at ${up.address}` };
      if (up.server.state === "named") return [answers];
      const days = await readRetentionDays(connection, up.namespace);
      const wrong = await wrongSearchAttributes(connection, up.namespace, searchAttributes);
      return [
        answers,
        { ok: days >= retentionDays, name: "retention", detail: `${days} days`, next: "tempi restart" },
        {
          ok: wrong.length === 0,
          name: "search attributes",
          detail:
            wrong.length === 0
              ? Object.keys(searchAttributes).join(", ")
              : `missing or of another type: ${wrong.join(", ")}`,
          next:
            wrong.length === 0
              ? ""
              : `temporal operator search-attribute remove --address ${up.address} --name ${wrong[0]}, then tempi restart`,
        },
      ];
    } finally {
      await connection.close();
    }
  } catch {
    return [{ ok: false, name: "server", detail: `does not answer at ${up.address}`, next: "tempi logs server" }];
  }
}

async function checkWorker({ home }: MachineContext): Promise<Check[]> {
  const up = readUp(home);
  if (!up) return [{ ok: undefined, name: "worker", detail: "not running", next: "tempi up --detach" }];
  const { worker } = up;
  if (worker.state === "ready" && isAlive(worker)) return [{ ok: true, name: "worker", detail: `pid ${worker.pid}` }];
  const why = worker.lastError === undefined ? "" : `: ${worker.lastError}`;
  return [{ ok: false, name: "worker", detail: `${worker.state}${why}`, next: "tempi logs worker" }];
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
          next: "export DEEPSEEK_API_KEY=... (or another provider's), or tempi init",
        },
  ];
}
