import type { LiveSource } from "../../activities/services.ts";
import { textOf } from "../agent/messages.ts";
import type { LiveBlock, LiveFrame } from "../protocol/live.ts";

const frameIntervalMs = 40;
const keptCharacters = 64 * 1024;
const outputTailCharacters = 16 * 1024;

interface Block {
  kind: LiveBlock["kind"];
  name?: string;
  /** The end of the text; `offset` characters before it are gone. */
  text: string;
  offset: number;
  /** Characters already sent, `offset` included. */
  sent: number;
}

/** Collects the growing text of one attempt and sends what is new a few times a second. */
export class LiveText implements LiveSource {
  readonly #identity: Pick<LiveFrame, "sessionId" | "source" | "attempt">;
  readonly #send: (frame: LiveFrame) => void;
  readonly #blocks = new Map<number, Block>();
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(identity: Pick<LiveFrame, "sessionId" | "source" | "attempt">, send: (frame: LiveFrame) => void) {
    this.#identity = identity;
    this.#send = send;
  }

  delta(delta: Parameters<LiveSource["delta"]>[0]): void {
    const block = this.#blocks.get(delta.index) ?? { kind: delta.kind, text: "", offset: 0, sent: 0 };
    this.#blocks.set(delta.index, block);
    if (delta.kind === "toolCall" && delta.name) block.name = delta.name;
    block.text += delta.delta;
    if (block.text.length > 2 * keptCharacters) {
      block.offset += block.text.length - keptCharacters;
      block.text = block.text.slice(-keptCharacters);
    }
    this.#schedule();
  }

  /** A tool's partial result stands for all before it: it is sent whole (its end), with offset 0. */
  update(partial: Parameters<LiveSource["update"]>[0]): void {
    const text = textOf(partial.content).slice(-outputTailCharacters);
    this.#blocks.set(0, { kind: "output", text, offset: 0, sent: 0 });
    this.#schedule();
  }

  tail(): string {
    const last = [...this.#blocks.values()].at(-1);
    return last ? last.text.slice(-2_000) : "";
  }

  done(): void {
    this.#flush();
    this.#emit([], true);
  }

  /** Everything kept, for a watcher that comes late. */
  whole(): LiveFrame {
    const blocks = [...this.#blocks].map(([index, block]) => frameBlock(index, block, block.offset));
    return { type: "frame", ...this.#identity, seq: this.#seq, blocks };
  }

  #schedule(): void {
    // The first words go out at once, the rest in beats.
    if (this.#seq === 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), frameIntervalMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const blocks: LiveBlock[] = [];
    for (const [index, block] of this.#blocks) {
      const end = block.offset + block.text.length;
      if (block.kind !== "output" && block.sent === end) continue;
      if (block.kind === "output" && block.sent === -1) continue;
      blocks.push(frameBlock(index, block, Math.max(block.sent, block.offset)));
      block.sent = block.kind === "output" ? -1 : end;
    }
    if (blocks.length > 0) this.#emit(blocks, false);
  }

  #emit(blocks: LiveBlock[], done: boolean): void {
    this.#seq += 1;
    this.#send({ type: "frame", ...this.#identity, seq: this.#seq, blocks, ...(done ? { done } : {}) });
  }
}

const frameBlock = (index: number, block: Block, from: number): LiveBlock => ({
  index,
  kind: block.kind,
  ...(block.name ? { name: block.name } : {}),
  offset: block.kind === "output" ? 0 : from,
  tail: block.kind === "output" ? block.text : block.text.slice(from - block.offset),
});
