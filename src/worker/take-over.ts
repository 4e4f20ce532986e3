import type { Client } from "@temporalio/client";
import { workerGone } from "../../activities/attempt.ts";
import { sessionWorkflowType } from "../protocol/session.ts";

/** More open workflows than this are left to the engine's own time-outs. */
const mostOpen = 500;
/** `PENDING_ACTIVITY_STATE_STARTED`. */
const started = 2;

/**
 * Takes over what a worker that was killed held with the engine. Without it the engine first offers each workflow task and each
 * question to that worker, for 2 s and more, and waits for the heartbeats of attempts that were given to it in the moment before
 * they could be written down (`AttemptJournal`), for 10 s. One worker runs per home, so at its start nobody else has anything.
 * What fails here only costs that time.
 */
export async function takeOverOpenWorkflows(client: Client, taskQueue: string): Promise<void> {
  const taking: Promise<unknown>[] = [];
  try {
    const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
      const execution = { workflowId, runId };
      const { namespace } = client.options;
      taking.push(client.workflowService.resetStickyTaskQueue({ namespace, execution }));
      if (type === sessionWorkflowType) taking.push(failLostAttempts(client, execution));
      if (taking.length >= mostOpen) break;
    }
  } catch {
    // The list is not there yet, or the server just left.
  }
  await Promise.allSettled(taking);
}

async function failLostAttempts(client: Client, execution: { workflowId: string; runId: string }): Promise<void> {
  const { raw } = await client.workflow.getHandle(execution.workflowId, execution.runId).describe();
  for (const { state, activityId, lastWorkerIdentity, lastStartedTime } of raw.pendingActivities ?? []) {
    const startedAt = Number(lastStartedTime?.seconds ?? Number.NaN) * 1000;
    if (state !== started || !activityId || !isGone(lastWorkerIdentity, startedAt)) continue;
    // Not found: the engine knows already.
    await client.activity.fail({ ...execution, activityId }, workerGone()).catch(() => undefined);
  }
}

/** The SDK names a worker `<pid>@<host>`. In a container the next one often has the same pid: then the time tells them apart. */
function isGone(identity: string | null | undefined, startedAt: number): boolean {
  const pid = Number(/^(\d+)@/.exec(identity ?? "")?.[1] ?? Number.NaN);
  if (!Number.isInteger(pid)) return false;
  // The engine's time is cut to whole seconds.
  if (pid === process.pid) return startedAt + 1_000 < Date.now() - process.uptime() * 1_000;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
