import { setTimeout as sleep } from "node:timers/promises";
import type { EventItem } from "../src/client/contract.ts";
import type { Delivery, SessionState } from "../src/protocol/session.ts";
import type { ChaosConnection } from "./connection.ts";
import { patiently } from "./patiently.ts";
import { promptText, type SessionKind, type SessionPlan } from "./script.ts";
import type { World } from "./world.ts";

export interface SentPrompt {
  id: string;
  number: number | "tail";
  /** Milliseconds since 1970; when the server had taken it. */
  acknowledgedAt: number;
}

/** Events of a run after which a `long` session goes on in a new one. */
const shortRunEvents = 120;
const closeAfterMs: Partial<Record<SessionKind, number>> = { closing: 1_500 };

/** One session as its person sees it: what was sent, and everything a client was told. */
export class Driver {
  readonly plan: SessionPlan;
  readonly id: string;
  readonly prompts: SentPrompt[] = [];
  /** In the order they were told, over all outages. */
  readonly events: EventItem[] = [];
  /** Times the client was told that something is missing. */
  readonly resyncs: string[] = [];
  state: SessionState | undefined;
  onState: (state: SessionState) => void = () => undefined;
  readonly #world: World;
  readonly #connection: ChaosConnection;
  readonly #stop = new AbortController();
  #following = false;
  #nextPrompt = 1;
  /** State as it was when the last prompt had been sent. */
  #stateBefore: SessionState | undefined;

  constructor(plan: SessionPlan, id: string, world: World, connection: ChaosConnection) {
    this.plan = plan;
    this.id = id;
    this.#world = world;
    this.#connection = connection;
  }

  get begun(): boolean {
    return this.prompts.length > 0;
  }

  /** Sends the next prompt, the first one with the session itself; `times` > 1: the same one again. */
  async prompt(delivery: Delivery = "steer", kind: "next" | "tail" = "next", times = 1): Promise<void> {
    const number = kind === "tail" ? "tail" : this.#nextPrompt++;
    const id = `prompt-${this.plan.index}-${number}`;
    const text = promptText(this.plan.index, number);
    const isFirst = !this.begun;
    const entry: SentPrompt = { id, number, acknowledgedAt: 0 };
    this.prompts.push(entry);
    for (let time = 0; time < times; time++) {
      if (isFirst) await patiently(() => this.#start({ id, text }));
      else await patiently(() => this.#connection.sessions.send(this.id, { id, text, delivery }));
    }
    entry.acknowledgedAt = Date.now();
    this.#stateBefore = this.state;
    this.#follow();
  }

  async abort(): Promise<void> {
    await patiently(() => this.#connection.sessions.abort(this.id, "chaos"), 10_000).catch(() => undefined);
  }

  isTaken(prompt: SentPrompt): boolean {
    return this.events.some(({ event }) => event.type === "message_end" && event.messageId === prompt.id);
  }

  /** Everything that was sent is taken and worked off, as far as a client was told. */
  get isDone(): boolean {
    const { state } = this;
    return (
      state !== undefined &&
      (state.state === "idle" || state.state === "ended") &&
      state.queued.length === 0 &&
      state.lastEvent <= (this.events.at(-1)?.event.seq ?? 0) &&
      this.prompts.every((prompt) => prompt.acknowledgedAt > 0 && this.isTaken(prompt))
    );
  }

  /** Nothing is being worked on: a person would send the next prompt. */
  get isFree(): boolean {
    if (!this.begun || this.prompts.some(({ acknowledgedAt }) => acknowledgedAt === 0)) return false;
    if (this.isDone) return true;
    const name = this.state === this.#stateBefore ? undefined : this.state?.state;
    return name === "stopped" || name === "failed";
  }

  close(): void {
    this.#stop.abort();
  }

  #start(prompt: { id: string; text: string }): Promise<void> {
    const { plan } = this;
    const asks = plan.kind === "asking";
    return this.#connection.sessions.start(
      {
        v: 1,
        sessionId: this.id,
        title: prompt.text,
        cwd: this.#world.places.workspace,
        repository: "workspace",
        environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.#world.folder, LANG: "C.UTF-8" },
        settings: {
          model: { provider: "chaos", model: "chaos-1", baseUrl: this.#world.modelUrl, keyVariable: "CHAOS_KEY" },
          thinking: "off",
          approval: asks ? "ask" : "auto",
          activeTools: ["read", "bash", "edit", "write"],
          maxTurns: 200,
        },
        closeAfterMs: closeAfterMs[plan.kind] ?? 600_000,
        ...(plan.kind === "long" ? { continueAsNewEvents: shortRunEvents } : {}),
      },
      prompt,
    );
  }

  /** Follows, and goes on from the last event whenever following ended: at a close, or by an error. */
  #follow(): void {
    if (this.#following) return;
    this.#following = true;
    void (async () => {
      while (!this.#stop.signal.aborted) {
        try {
          await this.#followOnce();
        } catch (error) {
          this.resyncs.push(`following ended: ${(error as Error).message}`);
        }
        await sleep(500);
      }
    })();
  }

  async #followOnce(): Promise<void> {
    const after = this.events.at(-1)?.event.seq ?? 0;
    for await (const item of this.#connection.sessions.follow(this.id, { after, signal: this.#stop.signal })) {
      if (item.kind === "event") this.events.push(item);
      else if (item.kind === "resync") this.resyncs.push(item.why);
      else if (item.kind === "state") {
        this.state = item.state;
        this.onState(item.state);
      }
    }
  }
}
