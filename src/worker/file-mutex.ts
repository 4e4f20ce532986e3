import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import type { FileMutex, LockOwner } from "../../activities/services.ts";
import {
  acquireUpdate,
  expelSignal,
  fileMutexStateQuery,
  fileMutexWorkflowType,
  type LockAnswer,
  type LockRequest,
  releaseSignal,
  withdrawSignal,
} from "../protocol/file-mutex.ts";
import { limits } from "../protocol/limits.ts";
import { identityOf, isAlive } from "../server/process-identity.ts";
import { FileQueue } from "./file-queue.ts";

/** How long a waiter trusts the holder before it looks whether it still lives, and between two looks. */
const lookEveryMs = 1_000;
const patienceMs = 5_000;

export interface FileMutexOptions {
  client: Client;
  taskQueue: string;
  machineId: string;
  /** Workflow events of a lock after which it goes on in a new run, for tests. */
  continueAsNewEvents?: number;
}

export interface FileLocks {
  withFileMutex: FileMutex;
  /** Resolves when what was sent without waiting for it (releases) has arrived or failed. */
  settled(): Promise<void>;
}

/**
 * The lock of a file across calls, sessions and workers of this machine: a queue in this process, then the file's workflow. The
 * key is the file's real path, so other spellings and links meet.
 */
export function createFileMutex(options: FileMutexOptions): FileLocks {
  const queue = new FileQueue();
  const background = new Set<Promise<unknown>>();
  const withFileMutex: FileMutex = async (owner, path, fn) => {
    const key = keyOf(path);
    return await queue.run(key, async () => {
      owner.signal.throwIfAborted();
      const lock = new FileLock(options, owner, key, background);
      const token = await lock.acquire();
      try {
        return await fn();
      } finally {
        lock.release(token);
      }
    });
  };
  return { withFileMutex, settled: async () => void (await Promise.allSettled(background)) };
}

function keyOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

class FileLock {
  readonly #options: FileMutexOptions;
  readonly #owner: LockOwner;
  readonly #path: string;
  readonly #workflowId: string;
  readonly #request: LockRequest;

  #looking: Promise<void> | undefined;
  readonly #background: Set<Promise<unknown>>;

  constructor(options: FileMutexOptions, owner: LockOwner, path: string, background: Set<Promise<unknown>>) {
    this.#background = background;
    this.#options = options;
    this.#owner = owner;
    this.#path = path;
    const hash = createHash("sha256").update(`${options.machineId}\n${path}`).digest("hex");
    this.#workflowId = `file-${hash.slice(0, 32)}`;
    const { workflowId, runId, activityId, attempt } = owner;
    const { pid, start } = identityOf(process.pid)!;
    this.#request = { id: `${runId}/${activityId}`, workflowId, runId, activityId, attempt, pid, processStart: start };
  }

  /** Resolves with the token once the lock is this call's. Rejects with the signal's reason when the call is stopped. */
  async acquire(): Promise<number> {
    const { signal } = this.#owner;
    const ended = new AbortController();
    const stopped = new Promise<never>((_resolve, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      ended.signal.addEventListener("abort", () => signal.removeEventListener("abort", stop), { once: true });
    });
    const granted = this.#granted();
    const watching = setInterval(() => this.#look(), lookEveryMs);
    try {
      return await Promise.race([granted, stopped]);
    } catch (error) {
      // Whoever gives up leaves the queue; a grant that crosses it is given back.
      this.#later(granted.then((token) => this.release(token)));
      this.#later(this.#handle().signal(withdrawSignal, { id: this.#request.id }));
      throw error;
    } finally {
      clearInterval(watching);
      if (this.#looking) this.#later(this.#looking);
      ended.abort();
    }
  }

  /** Not awaited: the next one is served as soon as it arrives, and a release that is lost is found out by whoever waits. */
  release(token: number): void {
    this.#later(this.#handle().signal(releaseSignal, { token }));
  }

  #later(sending: Promise<unknown>): void {
    const sent = sending
      .catch((error) => {
        // A lock that is gone has no holder; a call that was stopped has no token.
        if (error instanceof WorkflowNotFoundError || this.#owner.signal.aborted) return;
        this.#owner.log(`a file's lock could not be told: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => this.#background.delete(sent));
    this.#background.add(sent);
  }

  readonly #handle = () => this.#options.client.workflow.getHandle(this.#workflowId);

  async #granted(): Promise<number> {
    for (let round = 0; ; round++) {
      const answer = await this.#ask(round);
      if (answer?.kind === "granted") return answer.token;
      this.#owner.signal.throwIfAborted();
    }
  }

  /** Undefined: the lock's run ended in this very moment; the next try begins a new one. */
  async #ask(round: number): Promise<LockAnswer | undefined> {
    const { client, taskQueue, continueAsNewEvents } = this.#options;
    const startWorkflowOperation = new WithStartWorkflowOperation(fileMutexWorkflowType, {
      workflowId: this.#workflowId,
      taskQueue,
      args: [{ v: 1, path: this.#path, ...(continueAsNewEvents ? { continueAsNewEvents } : {}) }],
      workflowTaskTimeout: limits.workflowTaskTimeoutMs,
      workflowIdConflictPolicy: "USE_EXISTING",
      staticSummary: this.#path.slice(-200),
    });
    try {
      return await client.workflow.executeUpdateWithStart(acquireUpdate, {
        startWorkflowOperation,
        args: [this.#request],
        // One per attempt: a further attempt must not be answered with a grant that may have been given up since.
        updateId: `${this.#request.id}#${this.#request.attempt}.${round}`,
      });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) throw error;
      const passing = error instanceof WorkflowNotFoundError || isGrpcServiceError(error) || isEnded(error);
      if (!passing) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** round, 2_000)));
      return undefined;
    }
  }

  /** One look at a time; one that fails is repeated by the next. */
  #look(): void {
    if (this.#looking) return;
    this.#looking = this.#expelDeadHolder()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** A holder is dead when its process is, or when the engine does not know its attempt as running any more. */
  async #expelDeadHolder(): Promise<void> {
    const { client } = this.#options;
    await client.withDeadline(Date.now() + patienceMs, async () => {
      const { holder } = await this.#handle().query(fileMutexStateQuery);
      if (!holder || holder.id === this.#request.id) return;
      const why = isAlive({ pid: holder.pid, start: holder.processStart })
        ? await this.#lostBy(holder)
        : `the worker of ${holder.workflowId} is gone`;
      if (why) await this.#handle().signal(expelSignal, { token: holder.token, why });
    });
  }

  async #lostBy({ workflowId, runId, activityId, attempt }: LockRequest): Promise<string | undefined> {
    const description = await this.#options.client.workflow.getHandle(workflowId, runId).describe();
    if (description.status.name !== "RUNNING") return `${workflowId} is closed`;
    const pending = description.raw.pendingActivities?.find((one) => one.activityId === activityId);
    if (!pending) return `call ${activityId} of ${workflowId} has ended`;
    return (pending.attempt ?? 1) > attempt ? `call ${activityId} of ${workflowId} began anew` : undefined;
  }
}

const isEnded = (error: unknown): boolean =>
  error instanceof Error && /workflow execution already completed|not found|closing/i.test(error.message);
