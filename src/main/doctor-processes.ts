import type { Home } from "../config/home.ts";
import { searchAttributes } from "../protocol/session.ts";
import { readJsonFile } from "../server/json-file.ts";
import { isFree, type ServerPorts } from "../server/ports.ts";
import {
  connectTemporal,
  readRetentionDays,
  retentionDays,
  wrongSearchAttributes,
} from "../server/temporal-service.ts";
import type { Check } from "./doctor-command.ts";
import type { MachineContext } from "./machine-commands.ts";
import { buildPage, pageIsBuilt } from "./page-folder.ts";
import type { StatusReport } from "./status-command.ts";
import { portsFileOf, readUpFile } from "./up-state.ts";

const pagePatienceMs = 2_000;
const startIt = "tempi up --detach";

/** Server and ports, by the same look at the processes as `tempi status`: also for a server that nobody watches any more. */
export async function checkServer({ home }: MachineContext, { server }: StatusReport): Promise<Check[]> {
  if (server.state === "stopped") {
    return [await checkPorts(home), { ok: undefined, name: "server", detail: "not running", next: startIt }];
  }
  if (server.state === "failed") return [{ ok: false, name: "server", detail: "given up", next: "tempi logs server" }];
  const watched = server.state !== "unwatched";
  const answers: Check = {
    ok: watched ? true : undefined,
    name: "server",
    detail: `answers at ${server.address}${watched ? "" : ", but nobody watches it: its supervisor died"}`,
    next: startIt,
  };
  try {
    return [answers, ...(await checkContent(server.address!, server.state, readUpFile(home)?.namespace ?? "default"))];
  } catch {
    return [{ ok: false, name: "server", detail: `does not answer at ${server.address}`, next: "tempi logs server" }];
  }
}

async function checkPorts(home: Home): Promise<Check> {
  const kept = readJsonFile<ServerPorts>(portsFileOf(home));
  const taken: number[] = [];
  for (const port of kept ? [kept.grpc, kept.ui] : []) if (!(await isFree(port))) taken.push(port);
  if (taken.length === 0) {
    return { ok: true, name: "ports", detail: kept ? `${kept.grpc} and ${kept.ui} are free` : "not chosen yet" };
  }
  const detail = `${taken.join(", ")} taken by another program; the next free ones will be used`;
  return { ok: undefined, name: "ports", detail };
}

/** Throws when the server does not answer. What a named server keeps is not ours to judge. */
async function checkContent(address: string, state: string, namespace: string): Promise<Check[]> {
  const connection = await connectTemporal({ address });
  try {
    if (state === "named") return [];
    const days = await readRetentionDays(connection, namespace);
    const wrong = await wrongSearchAttributes(connection, namespace, searchAttributes);
    const allRight = wrong.length === 0;
    return [
      { ok: days >= retentionDays, name: "retention", detail: `${days} days`, next: "tempi restart" },
      {
        ok: allRight,
        name: "search attributes",
        detail: allRight ? Object.keys(searchAttributes).join(", ") : `missing or of another type: ${wrong.join(", ")}`,
        next: `temporal operator search-attribute remove --address ${address} --name ${wrong[0]}, then tempi restart`,
      },
    ];
  } finally {
    await connection.close();
  }
}

export async function checkWorker(_context: MachineContext, { worker }: StatusReport): Promise<Check[]> {
  const name = "worker";
  switch (worker.state) {
    case "ready":
      return [{ ok: true, name, detail: `pid ${worker.pid}` }];
    case "stopped":
      return [{ ok: undefined, name, detail: "not running", next: startIt }];
    case "unwatched":
      return [
        { ok: undefined, name, detail: `pid ${worker.pid}, nobody watches it: its supervisor died`, next: startIt },
      ];
    case "hung":
      return [
        { ok: false, name, detail: `pid ${worker.pid} does not answer: stopped, or stuck`, next: "tempi restart" },
      ];
    default: {
      const why = worker.lastError === undefined ? "" : `: ${worker.lastError}`;
      return [{ ok: false, name, detail: `${worker.state}${why}`, next: "tempi logs worker" }];
    }
  }
}

/** The page answers, and not another program on its port. */
export async function checkWeb(_context: MachineContext, { supervisor, web }: StatusReport): Promise<Check[]> {
  const name = "web page";
  switch (web.state) {
    case "ready": {
      const answers = await pageAnswers(web.url!);
      const detail = `${answers ? "answers" : "does not answer"} at ${web.url}`;
      const check = { ok: answers, name, detail, next: "tempi logs web, then tempi restart" };
      if (pageIsBuilt()) return [check];
      return [check, { ok: false, name: "files of the page", detail: "not built", next: buildPage }];
    }
    case "stopped": {
      const why = supervisor.state === "running" ? 'not started: web.start is "off"' : "not running";
      return [{ ok: undefined, name, detail: why, next: "tempi web" }];
    }
    case "starting":
      return [{ ok: undefined, name, detail: "starting", next: "tempi web" }];
    case "unwatched":
      return [{ ok: undefined, name, detail: `pid ${web.pid}, nobody watches it: its supervisor died`, next: startIt }];
    default: {
      const why = web.lastError === undefined ? "" : `: ${web.lastError}`;
      return [{ ok: false, name, detail: `given up${why}; sessions run`, next: "tempi logs web, then tempi web" }];
    }
  }
}

async function pageAnswers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/me`, { signal: AbortSignal.timeout(pagePatienceMs) });
    await response.body?.cancel();
    // Without a token it is refused, by the page and not by whatever else may listen there.
    return response.status === 401;
  } catch {
    return false;
  }
}
