import type { Client } from "@temporalio/client";

/** More open workflows than this are left to the engine's own time-out. */
const mostOpen = 500;

/**
 * Tells the engine that no worker has the open workflows in its memory any more. Otherwise it first offers each workflow task, and
 * each question, to the worker that is gone, for 2 s and more. One worker runs per home, so at its start nobody else has them.
 * What fails here only costs that time.
 */
export async function unstickOpenWorkflows(client: Client, taskQueue: string): Promise<void> {
  const { namespace } = client.options;
  const resets: Promise<unknown>[] = [];
  try {
    const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      resets.push(client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId } }));
      if (resets.length >= mostOpen) break;
    }
  } catch {
    // The list is not there yet, or the server just left.
  }
  await Promise.allSettled(resets);
}
