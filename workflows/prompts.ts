import { workflowInfo } from "@temporalio/workflow";
import { type StoredMessage, textOf, type UserMessage } from "../src/agent/messages.ts";
import { limits } from "../src/protocol/limits.ts";
import { promptMessage } from "../src/protocol/prompt-message.ts";
import type { CarriedState, Delivery, PromptSignal } from "../src/protocol/session.ts";

const shownCharacters = 200;

type Queued = { id: string; delivery: Delivery } & ({ stored: StoredMessage<UserMessage> } | { runId: string });

/** Prompts not taken yet, oldest first. */
export class Prompts {
  readonly #queue: Queued[];
  /** Prompts whose text an earlier run's history holds, by id. */
  readonly #elsewhere = new Map<string, string>();

  readonly #mode: () => "one" | "all";

  constructor(carried: CarriedState["queue"], mode: () => "one" | "all") {
    this.#mode = mode;
    this.#queue = carried.map(({ id, runId, delivery }) => ({ id, runId, delivery }));
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Run that holds the text of a taken prompt, when it is not this one. */
  runHolding(id: string): string | undefined {
    return this.#elsewhere.get(id);
  }

  get queued(): { id: string; delivery: Delivery }[] {
    return this.#queue.map(({ id, delivery }) => ({ id, delivery }));
  }

  /** The same with the beginning of each text, for people. */
  get described(): { id: string; delivery: Delivery; text?: string }[] {
    return this.#queue.map((queued) => ({
      id: queued.id,
      delivery: queued.delivery,
      ...("stored" in queued ? { text: textOf(queued.stored.message.content).slice(0, shownCharacters) } : {}),
    }));
  }

  /** False when the queue is full. */
  add(signal: PromptSignal): boolean {
    if (this.#queue.length >= limits.queuedPrompts) return false;
    this.#queue.push({
      id: signal.id,
      delivery: signal.delivery,
      stored: { id: signal.id, message: promptMessage(signal) },
    });
    return true;
  }

  takeSteering(): StoredMessage<UserMessage>[] {
    return this.#takeAsSet("steer");
  }

  takeFollowUps(): StoredMessage<UserMessage>[] {
    return this.#takeAsSet("followUp");
  }

  carried(): CarriedState["queue"] {
    const { runId } = workflowInfo();
    return this.#queue.map((queued) => ({
      id: queued.id,
      delivery: queued.delivery,
      runId: "runId" in queued ? queued.runId : runId,
    }));
  }

  /** The oldest one, or all: as the session is set. */
  #takeAsSet(delivery: Delivery): StoredMessage<UserMessage>[] {
    const taken = this.#take(delivery);
    if (this.#mode() === "all")
      for (let more = this.#take(delivery); more.length > 0; more = this.#take(delivery)) taken.push(...more);
    return taken;
  }

  #take(delivery: Delivery): StoredMessage<UserMessage>[] {
    const at = this.#queue.findIndex((queued) => queued.delivery === delivery);
    if (at < 0) return [];
    const [queued] = this.#queue.splice(at, 1);
    if ("stored" in queued!) return [queued.stored];
    this.#elsewhere.set(queued!.id, queued!.runId);
    // Stands in for the real message, whose text never comes into this run; the transcript keeps the reference.
    return [{ id: queued!.id, message: { role: "user", content: [], timestamp: Date.now() } }];
  }
}
