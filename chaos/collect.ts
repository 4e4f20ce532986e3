import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { Worker } from "@temporalio/worker";
import type { EventItem } from "../src/client/contract.ts";
import { fileMutexStateQuery } from "../src/protocol/file-mutex.ts";
import { workflowIdOf } from "../src/protocol/session.ts";
import { payloadConverterPath, workflowBundle } from "../src/worker/workflow-bundle.ts";
import type { ChaosConnection } from "./connection.ts";
import type { Driver } from "./driver.ts";
import type { Evidence, SessionEvidence } from "./evidence.ts";
import { patiently } from "./patiently.ts";
import { callsOf } from "./session-calls.ts";
import type { World } from "./world.ts";

/** Reads a session anew, as a client that knows nothing of it. */
export async function sessionEvidence(
  driver: Driver,
  { sessions }: ChaosConnection,
  stuck: string | undefined,
): Promise<SessionEvidence> {
  const { plan, id, prompts, resyncs } = driver;
  const seen = [...driver.events];
  const state = await patiently(() => sessions.state(id));
  const events: EventItem[] = [];
  const stop = new AbortController();
  for await (const item of sessions.follow(id, { after: 0, signal: stop.signal })) {
    if (item.kind === "event") events.push(item);
    if ((events.at(-1)?.event.seq ?? 0) >= state.lastEvent) break;
  }
  stop.abort();
  const { messages } = await patiently(() => sessions.account(id));
  return {
    plan,
    id,
    prompts,
    seen,
    resyncs,
    events,
    messages,
    calls: callsOf(events),
    ...(stuck === undefined ? {} : { stuck }),
    queued: state.queued.length,
    waiting: state.pending.length,
  };
}

/** Replays what the sessions left with the code of today; at most `most` histories, the newest. */
export async function replayAll(
  world: World,
  { context }: ChaosConnection,
  ids: readonly string[],
  most: number,
): Promise<Evidence["replays"]> {
  const { codePath } = await workflowBundle(world.home.cache);
  const options = { workflowBundle: { codePath }, dataConverter: { payloadConverterPath } };
  const faults: string[] = [];
  let checks = 0;
  for (const id of ids) {
    const workflowId = workflowIdOf(id);
    for await (const { runId } of context.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      if (checks >= most) return { checks, faults };
      checks += 1;
      const history = await context.client.workflow.getHandle(workflowId, runId).fetchHistory();
      await Worker.runReplayHistory(options, history, workflowId).catch((error: Error) =>
        faults.push(`${id} ${runId}: ${error.message.slice(0, 300)}`),
      );
    }
  }
  return { checks, faults };
}

export async function lockEvidence({ context }: ChaosConnection): Promise<Evidence["locks"]> {
  const locks: Evidence["locks"] = [];
  for await (const { workflowId } of context.client.workflow.list({ query: "WorkflowType = 'fileMutex'" })) {
    if (locks.some(({ id }) => id === workflowId)) continue;
    const handle = context.client.workflow.getHandle(workflowId);
    const { holder } = await patiently(() => handle.query(fileMutexStateQuery));
    const closed = (await handle.describe()).status.name !== "RUNNING";
    locks.push({ id: workflowId, ...(holder && !closed ? { holder: holder.id } : {}) });
  }
  return locks;
}

/** All files of the workspace, by path. */
export function workspaceFiles(world: World): Map<string, string> {
  const { workspace } = world.places;
  return new Map(filesBelow(workspace).map((path) => [relative(workspace, path), readFileSync(path, "utf8")]));
}

/** Files of home and workspace that hold the canary. */
export function findCanary(world: World): { leaks: string[]; filesScanned: number } {
  const wanted = Buffer.from(world.canary);
  const files = filesBelow(world.folder);
  // The largest is the engine's database; whole in memory it is still small.
  const leaks = files.filter((path) => readFileSync(path).includes(wanted)).map((path) => relative(world.folder, path));
  return { leaks, filesScanned: files.length };
}

/** Processes that belong to the run by arguments or environment; this one is not counted. */
export function processesOf(world: World): { seen: number; found: string[] } {
  const found: string[] = [];
  let seen = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      const environment = readFileSync(`/proc/${name}/environ`, "latin1");
      seen += 1;
      if (line.includes(world.folder) || environment.includes(world.folder))
        found.push(`${name} ${line.slice(0, 160)}`);
    } catch {
      // It ended, or belongs to somebody else.
    }
  }
  return { seen, found };
}

function filesBelow(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      // Folders that are links are listed, too.
      .filter((entry) => entry.isFile() && realpathSync(entry.parentPath) === entry.parentPath)
      .map((entry) => join(entry.parentPath, entry.name))
  );
}
