import type { ServerResponse } from "node:http";

/** Characters written in one go: many small events of a long session become few writes. */
const writeAtOnce = 256 * 1024;
/** A reader that lets this much of what is new pile up, in characters, is dropped; it may come back and resume. */
const behindAtMost = 4 * 1024 * 1024;
/** A reader that takes nothing for this long while something waits is dropped. */
const stuckMs = 30_000;

/** One item in the form of server-sent events. JSON has no raw line ends, so one data line is enough. */
export function sentEvent(name: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * The answer to one reader. Texts are queued by reference (all readers of a session share them) and written as fast as the
 * reader takes them, in the order they were given.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #queue: string[] = [];
  /** Characters queued beyond what the reader was given when it came. */
  #behind = 0;
  /** How many of the queued texts do not count as `behind`. */
  #owed = 0;
  #scheduled = false;
  #blockedSince: number | undefined;
  #closed = false;
  readonly #onClose: (() => void)[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
    response.write("retry: 1000\n\n");
    response.on("drain", () => {
      this.#blockedSince = undefined;
      this.#flush();
    });
    response.on("close", () => this.#end());
    response.on("error", () => this.#end());
    if (response.destroyed || response.writableEnded) this.#end();
  }

  get closed(): boolean {
    return this.#closed;
  }

  onClose(tell: () => void): void {
    if (this.#closed) tell();
    else this.#onClose.push(tell);
  }

  /** What the reader is given when it comes, however much it is. */
  open(texts: readonly string[]): void {
    if (this.#closed) return;
    this.#owed = this.#queue.length + texts.length;
    for (const text of texts) this.#queue.push(text);
    this.#behind = 0;
    this.#schedule();
  }

  send(text: string): void {
    if (this.#closed) return;
    this.#queue.push(text);
    this.#behind += text.length;
    if (this.#behind > behindAtMost) this.drop();
    else this.#schedule();
  }

  /** A comment, so that both sides notice a dead connection; drops a reader that is stuck. */
  beat(now = Date.now()): void {
    if (this.#blockedSince === undefined) this.send(":\n\n");
    else if (now - this.#blockedSince > stuckMs) this.drop();
  }

  /** Ends it in order; the reader's browser comes back by itself. */
  end(): void {
    if (!this.#closed) this.#response.end();
    this.#end();
  }

  /** Cuts the connection. */
  drop(): void {
    this.#response.destroy();
    this.#end();
  }

  #schedule(): void {
    if (this.#scheduled || this.#blockedSince !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    let at = 0;
    while (at < this.#queue.length && this.#blockedSince === undefined && !this.#closed) {
      let size = 0;
      const start = at;
      while (at < this.#queue.length && size < writeAtOnce) size += this.#queue[at++]!.length;
      this.#tookTexts(this.#queue.slice(start, at));
      if (!this.#response.write(this.#queue.slice(start, at).join(""))) this.#blockedSince = Date.now();
    }
    this.#queue.splice(0, at);
  }

  #tookTexts(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.#owed > 0) this.#owed--;
      else this.#behind -= text.length;
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.length = 0;
    for (const tell of this.#onClose.splice(0)) tell();
  }
}
