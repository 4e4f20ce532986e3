import { signal } from "@preact/signals";
import { read, signedIn } from "./api.ts";

const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** A break that is mended sooner is not worth a line. */
const silentMs = 1_000;

/** How many streams are without a connection for longer than a moment. */
export const disconnected = signal(0);

export interface StreamOptions {
  /** Address of the stream, asked anew at each connection: it says after which event to go on. */
  address: () => string;
  /** Names of the server-sent events. */
  kinds: readonly string[];
  onItem: (item: unknown) => void;
  onOpen?: () => void;
  /** It is without a connection for longer than a moment, or has one again. */
  onLost?: (lost: boolean) => void;
}

/**
 * Server-sent events that go on after a break. The browser's own reconnecting is not used: it stops for good at an
 * answer with an error, and it does not know what was read by other ways.
 */
export class ResumingStream {
  readonly #options: StreamOptions;
  #source: EventSource | undefined;
  #pause = firstPauseMs;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #counted = false;
  #closed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#connected();
  }

  #open(): void {
    const source = new EventSource(this.#options.address());
    this.#source = source;
    source.onopen = () => {
      this.#pause = firstPauseMs;
      this.#connected();
      this.#options.onOpen?.();
    };
    source.onerror = () => this.#again();
    for (const kind of this.#options.kinds) {
      source.addEventListener(kind, (event) => {
        if (!this.#closed) this.#options.onItem(JSON.parse((event as MessageEvent<string>).data));
      });
    }
  }

  #again(): void {
    this.#source?.close();
    if (this.#closed) return;
    this.#silence ??= setTimeout(() => this.#count(), silentMs);
    // Tells whether the person has to sign in again; other answers are worth another try.
    void read("/api/me").catch(() => undefined);
    this.#timer = setTimeout(() => {
      // Whoever is not let in any more asks nothing more.
      if (signedIn.peek() !== false) this.#open();
    }, this.#pause);
    this.#pause = Math.min(longestPauseMs, this.#pause * 2);
  }

  #count(): void {
    if (this.#counted || this.#closed) return;
    this.#counted = true;
    disconnected.value++;
    this.#options.onLost?.(true);
  }

  #connected(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    if (!this.#counted) return;
    disconnected.value--;
    this.#counted = false;
    this.#options.onLost?.(false);
  }
}
