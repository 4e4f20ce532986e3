/** Items pushed by one side and read in order by one reader; ends by `end`, `fail` or the signal. */
export class ItemQueue<T> {
  readonly #items: T[] = [];
  #over = false;
  #failure: { error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.#over = true;
    signal.addEventListener("abort", () => this.end(), { once: true });
  }

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  async *items(): AsyncGenerator<T> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#over) {
        if (this.#failure) throw this.#failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
