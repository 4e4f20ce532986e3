import type { ActivateInput, Next, WorkflowInternalsInterceptor } from "@temporalio/workflow";

/** What tells one task of the engine from the next. */
interface Task {
  historyLength: number;
  /** When it started, in nanoseconds since 1970. */
  startedAt: bigint;
}

/**
 * Whether events were brought outside any workflow task. A query that waited for a worker carries all of the history, also what
 * came after the last task; the SDK then shows these events to the workflow before their task begins. What comes between would
 * be worked on after them now and together with them in each replay: another order, so other commands, and a session that hangs
 * for good.
 */
export const isAheadOfTask = (before: Task | undefined, now: Task): boolean =>
  before !== undefined && now.startedAt === before.startedAt && now.historyLength > before.historyLength;

/** Refuses such events: the query fails and is asked again, and the workflow is built anew from its history, in whole tasks. */
class WholeTasks implements WorkflowInternalsInterceptor {
  #last: Task | undefined;

  activate(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, "activate">): void {
    const { jobs, historyLength, timestamp } = input.activation;
    if (!jobs?.some(({ queryWorkflow }) => queryWorkflow)) {
      const startedAt = BigInt(String(timestamp?.seconds ?? 0)) * 1_000_000_000n + BigInt(timestamp?.nanos ?? 0);
      const now = { historyLength: historyLength ?? 0, startedAt };
      if (isAheadOfTask(this.#last, now)) throw new Error("asked while there was no worker; ask again");
      this.#last = now;
    }
    next(input);
  }
}

export const interceptors = () => ({ internals: [new WholeTasks()] });
