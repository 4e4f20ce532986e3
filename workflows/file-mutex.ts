import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import {
  acquireUpdate,
  expelSignal,
  type FileMutexInput,
  type FileMutexState,
  fileMutexStateQuery,
  type LockAnswer,
  type LockHolder,
  type LockRequest,
  releaseSignal,
  withdrawSignal,
} from "../src/protocol/file-mutex.ts";
import { limits } from "../src/protocol/limits.ts";

/** The lock of one file: first come, first served, one holder at a time. Ends when nobody has wanted it for a while. */
export async function fileMutex(input: FileMutexInput): Promise<void> {
  const lock = new FileLock(input);
  setHandler(acquireUpdate, (request) => lock.acquire(request), { validator: checkRequest });
  setHandler(releaseSignal, ({ token }) => lock.release(token));
  setHandler(expelSignal, ({ token, why }) => lock.release(token, why));
  setHandler(withdrawSignal, ({ id }) => lock.withdraw(id));
  setHandler(fileMutexStateQuery, () => lock.state());
  for (;;) {
    await condition(() => lock.idle || lock.long);
    if (lock.long) break;
    if (!(await condition(() => !lock.idle, limits.fileMutexIdleMs))) {
      // An update that came in this very task is still to be answered.
      if (lock.idle && allHandlersFinished()) return;
    }
  }
  lock.sendAway();
  await condition(allHandlersFinished);
  await continueAsNew<typeof fileMutex>({ ...input, carried: lock.carried() });
}

interface Waiter {
  request: LockRequest;
  answer?: LockAnswer;
  gone?: boolean;
}

class FileLock {
  readonly #input: FileMutexInput;
  #token: number;
  #holder: LockHolder | undefined;
  #waiting: Waiter[] = [];
  /** Ids that were in the queue of the run before, in its order: their place is kept while they ask again. */
  readonly #order: string[];
  #away = false;

  constructor(input: FileMutexInput) {
    this.#input = input;
    this.#token = input.carried?.token ?? 0;
    this.#holder = input.carried?.holder;
    this.#order = input.carried?.order ?? [];
    this.#show();
  }

  get idle(): boolean {
    return !this.#holder && this.#waiting.length === 0;
  }

  /** Whether the history has grown so that a new run must go on. */
  get long(): boolean {
    return workflowInfo().historyLength >= (this.#input.continueAsNewEvents ?? limits.continueAsNewEvents);
  }

  async acquire(request: LockRequest): Promise<LockAnswer> {
    if (this.#away) return { kind: "again" };
    // A further attempt of the holder's own call: the one before is dead, or its engine has given it up.
    if (this.#holder?.id === request.id && this.#holder.attempt <= request.attempt) return this.#grant(request);
    for (const waiter of this.#waiting) if (waiter.request.id === request.id) waiter.gone = true;
    const waiter: Waiter = { request };
    this.#enqueue(waiter);
    this.#serve();
    await condition(() => waiter.answer !== undefined || waiter.gone === true || this.#away);
    this.#waiting = this.#waiting.filter((one) => one !== waiter);
    this.#show();
    return waiter.answer ?? { kind: "again" };
  }

  release(token: number, why?: string): void {
    if (this.#holder?.token !== token) return;
    this.#holder = undefined;
    this.#serve();
    this.#show(why);
  }

  withdraw(id: string): void {
    for (const waiter of this.#waiting) if (waiter.request.id === id) waiter.gone = true;
  }

  state(): FileMutexState {
    const waiting = this.#waiting.filter(({ answer, gone }) => !answer && !gone).map(({ request }) => request.id);
    return { ...(this.#holder ? { holder: this.#holder } : {}), waiting };
  }

  /** Everybody who waits asks again, in the run that follows. */
  sendAway(): void {
    this.#away = true;
    this.#order.splice(0, this.#order.length, ...this.state().waiting);
  }

  carried(): NonNullable<FileMutexInput["carried"]> {
    return { token: this.#token, order: this.#order, ...(this.#holder ? { holder: this.#holder } : {}) };
  }

  /** Those of the run before keep their order; whoever is new stands behind all that are here. */
  #enqueue(waiter: Waiter): void {
    const place = this.#order.indexOf(waiter.request.id);
    const before = (other: Waiter) => {
      const otherPlace = this.#order.indexOf(other.request.id);
      return place >= 0 && (otherPlace < 0 || otherPlace > place);
    };
    const at = this.#waiting.findIndex(before);
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, waiter);
  }

  #serve(): void {
    if (this.#holder || this.#away) return;
    const next = this.#waiting.find(({ answer, gone }) => !answer && !gone);
    if (next) next.answer = this.#grant(next.request);
  }

  #grant(request: LockRequest): LockAnswer {
    this.#token += 1;
    this.#holder = { ...request, token: this.#token, since: Date.now() };
    this.#show();
    return { kind: "granted", token: this.#token };
  }

  #show(why?: string): void {
    const { holder, waiting } = this.state();
    const by = holder ? `held by ${holder.workflowId} call ${holder.activityId}` : "free";
    const queue = waiting.length > 0 ? `; ${waiting.length} wait` : "";
    setCurrentDetails(`${this.#input.path}\n\n${by}${queue}${why ? ` (before: ${why})` : ""}`);
  }
}

/** Rejected before it is accepted: a wrong request leaves no trace in history and fails its sender only. */
function checkRequest({ id, workflowId, runId, activityId, attempt, pid, processStart }: LockRequest): void {
  const texts = [id, workflowId, runId, activityId, processStart];
  if (!texts.every((text) => typeof text === "string" && text.length <= 300)) throw new Error("not a lock request");
  if (![attempt, pid].every(Number.isInteger)) throw new Error("not a lock request");
}
