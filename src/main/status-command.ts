import type { Home } from "../config/home.ts";
import { isAlive } from "../server/process-identity.ts";
import type { MachineContext } from "./machine-commands.ts";
import { type ChildState, readUp, readUpFile, readWebFile } from "./up-state.ts";
import { version } from "./version.ts";
import { workerAnswers } from "./worker-answer.ts";

/** A turning event loop answers within a few milliseconds; `status` as a whole is to take 300 ms at most. */
const answerMs = 200;

/** What `tempi status --json` prints. `since` in milliseconds since 1970. */
export interface StatusReport {
  version: string;
  home: string;
  supervisor: { state: "running" | "not running"; pid: number | null };
  server: { state: string; pid: number | null; version: string | null; address: string | null; since: number | null };
  worker: {
    state: string;
    pid: number | null;
    version: string | null;
    restarts: number;
    since: number | null;
    lastError?: string;
  };
  /** `url`: on this machine, without token; `lan` and `publicUrl` where others can reach it, too. */
  web: {
    state: string;
    url: string | null;
    pid: number | null;
    lan?: string;
    publicUrl?: string;
    lastError?: string;
  };
  temporalUi: { state: string; url: string | null };
}

/**
 * Reads the state. Asks only the worker, whether it answers, and waits `waitMs` at most: so it also answers when everything
 * hangs.
 */
export async function statusReport(context: Pick<MachineContext, "home">, waitMs = answerMs): Promise<StatusReport> {
  const up = readUp(context.home);
  // A killed supervisor leaves children: they run, but nobody watches them.
  const state = up ?? readUpFile(context.home);
  const { server, worker, web } = state ?? {};
  const serverState = stateOf(server, up !== undefined);
  const workerState = stateOf(worker, up !== undefined);
  const hung =
    (workerState === "ready" || workerState === "unwatched") &&
    (await workerAnswers(context.home, worker!.pid!, waitMs)) === false;
  const serverUp = serverState === "ready" || serverState === "unwatched";
  return {
    version,
    home: context.home.root,
    supervisor: { state: up ? "running" : "not running", pid: up?.pid ?? null },
    server: {
      state: serverState,
      pid: serverState === "stopped" ? null : (server?.pid ?? null),
      version: server?.version ?? null,
      address: state && serverState !== "stopped" ? state.address : null,
      since: server?.since ?? null,
    },
    worker: {
      state: hung ? "hung" : workerState,
      pid: isAlive(worker) ? worker.pid : null,
      version: worker?.version ?? null,
      restarts: worker?.restarts ?? 0,
      since: worker?.since ?? null,
      ...(worker?.lastError === undefined ? {} : { lastError: worker.lastError }),
    },
    web: webReport(context.home, web, state?.webUrl, up !== undefined),
    temporalUi: {
      state: state?.uiUrl && serverUp ? "running" : "stopped",
      url: serverUp ? (state?.uiUrl ?? null) : null,
    },
  };
}

function webReport(
  home: Home,
  web: ChildState | undefined,
  url: string | undefined,
  watched: boolean,
): StatusReport["web"] {
  const state = stateOf(web, watched);
  const runs = isAlive(web);
  const file = runs ? readWebFile(home) : undefined;
  return {
    state,
    url: state === "ready" || state === "unwatched" ? (url ?? null) : null,
    pid: runs ? web.pid : null,
    ...(file?.lan === undefined ? {} : { lan: `http://${file.lan}:${file.port}` }),
    ...(file?.publicUrl === undefined ? {} : { publicUrl: file.publicUrl }),
    ...(web?.lastError === undefined ? {} : { lastError: web.lastError }),
  };
}

function stateOf(child: ChildState | undefined, watched: boolean): string {
  if (!child) return "stopped";
  if (child.state === "named") return watched ? "named" : "stopped";
  if (watched) return child.state === "ready" && !isAlive(child) ? "starting" : child.state;
  return isAlive(child) ? "unwatched" : "stopped";
}

/** `tempi status`. */
export async function statusCommand(context: MachineContext, flags: { json?: boolean }): Promise<void> {
  const report = await statusReport(context);
  if (flags.json) {
    context.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const { server, worker, web } = report;
  const lines = [
    `tempi      ${report.version}, home ${report.home}`,
    `server     ${server.state}${detail([server.address, pidText(server.pid), server.version && `Temporal CLI ${server.version}`])}`,
    `worker     ${worker.state}${detail([pidText(worker.pid), worker.restarts > 0 && `restarted ${worker.restarts}×`])}`,
    ...(worker.lastError === undefined ? [] : [`           last error: ${worker.lastError}`]),
    `web        ${web.state}${detail([web.url, web.lan ?? null, web.publicUrl ?? null, pidText(web.pid)])}`,
    ...(web.lastError === undefined ? [] : [`           last error: ${web.lastError}`]),
    `Temporal UI ${report.temporalUi.url ?? report.temporalUi.state}`,
  ];
  const next = nextOf(report);
  context.write(`${[...lines, ...(next === undefined ? [] : [`Next: ${next}`])].join("\n")}\n`);
}

function nextOf({ supervisor, server, worker, web }: StatusReport): string | undefined {
  if (supervisor.state === "not running") return "tempi up --detach";
  if (server.state === "failed") return "tempi logs server, then tempi restart";
  if (worker.state === "hung") return "tempi restart";
  if (worker.state === "failed") return "tempi logs worker, then tempi restart";
  if (web.state === "failed") return "tempi logs web, then tempi web";
  return undefined;
}

const pidText = (pid: number | null): string | null => (pid === null ? null : `pid ${pid}`);
const detail = (parts: (string | null | false)[]): string =>
  parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join("");
