import { setTimeout as sleep } from "node:timers/promises";
import { groupOf } from "../agent/session-groups.ts";
import type { ClientContext } from "./client-context.ts";
import type { SessionSummary, WaitingApproval } from "./contract.ts";
import { stateOf } from "./session-state.ts";

const askPatienceMs = 5_000;
/** An overview waits this long for answers; those that come later are told in the next one. */
const answerMs = 400;
/** A worker elsewhere gives no hints, and one that is away no answer: what waits there is asked for anew this often. */
const againMs = 10_000;

interface Known {
  /** The session's line in the list when it was asked; "" = to be asked again. */
  line: string;
  askedAt: number;
  waiting: WaitingApproval[];
}

/** What waits in each session: asked when its line in the list changed or its worker hinted, and kept while nobody answers. */
export class WaitingApprovals {
  readonly #context: ClientContext;
  readonly #onAnswer: () => void;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<void>>();

  /** `onAnswer`: an answer came after `update` had stopped waiting for it. */
  constructor(context: ClientContext, onAnswer: () => void) {
    this.#context = context;
    this.#onAnswer = onAnswer;
  }

  /** Everything is asked anew; what is known stays on show until then. */
  outdated(): void {
    for (const known of this.#known.values()) known.line = "";
  }

  /** Oldest first. */
  all(): WaitingApproval[] {
    return [...this.#known.values()]
      .flatMap(({ waiting }) => waiting)
      .sort((a, b) => a.approval.requestedAt - b.approval.requestedAt);
  }

  /**
   * Brings what is known up to the list. One session without a worker must not hold up what is told of the others: it waits a moment
   * only, and the rest follows.
   */
  async update(sessions: readonly SessionSummary[], hinted: ReadonlySet<string>, areHinted: boolean): Promise<void> {
    const asking = sessions.filter(({ waiting, state }) => waiting > 0 && groupOf(state) !== "Done");
    const open = new Set(asking.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!open.has(id)) this.#known.delete(id);
    const asks = asking.flatMap((summary) => this.#ask(summary, hinted.has(summary.id), areHinted) ?? []);
    if (asks.length === 0) return;
    let inTime = true;
    const late = sleep(answerMs).then(() => {
      inTime = false;
    });
    for (const ask of asks) void ask.then(() => !inTime && this.#onAnswer());
    await Promise.race([Promise.all(asks), late]);
  }

  #ask(summary: SessionSummary, hinted: boolean, areHinted: boolean): Promise<void> | undefined {
    const { id, runId, state, waiting } = summary;
    const line = `${runId} ${state} ${waiting}`;
    const before = this.#known.get(id);
    const old = !areHinted && Date.now() - (before?.askedAt ?? 0) > againMs;
    if (before?.line === line && !hinted && !old) return undefined;
    // What is under way may have been asked before the change: it is followed by another one.
    const asked = (this.#asking.get(id) ?? Promise.resolve()).then(() => this.#answer(summary, line));
    const done = asked.finally(() => {
      if (this.#asking.get(id) === done) this.#asking.delete(id);
    });
    this.#asking.set(id, done);
    // Until the answer, and if none comes, it is not asked again for the same line.
    this.#known.set(id, { line, askedAt: Date.now(), waiting: before?.waiting ?? [] });
    return done;
  }

  async #answer({ id, repository }: SessionSummary, line: string): Promise<void> {
    const deadline = Date.now() + askPatienceMs;
    const asked = this.#context.client.withDeadline(deadline, () => stateOf(this.#context, id));
    const found = await asked.catch(() => undefined);
    const known = this.#known.get(id);
    if (!known) return;
    if (!found) {
      // No worker answered: what was known stays on show, and it is asked again in a while.
      if (known.line === line) setTimeout(() => this.#askAgain(id, line), againMs).unref();
      return;
    }
    const { title, pending } = found;
    known.waiting = pending.map((approval) => ({ sessionId: id, title, repository, approval }));
  }

  #askAgain(id: string, line: string): void {
    const known = this.#known.get(id);
    if (known?.line === line) known.line = "";
  }
}
