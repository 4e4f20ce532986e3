/** Browsers draw no frames for a hidden page, yet its data must stay true. */
const hiddenPauseMs = 250;

/** Calls `run` once with all that was added since the last time, before the next picture is drawn. */
export class FrameBatch<T> {
  readonly #run: (items: T[]) => void;
  #items: T[] = [];
  #scheduled = false;

  constructor(run: (items: T[]) => void) {
    this.#run = run;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (document.hidden) setTimeout(() => this.#flush(), hiddenPauseMs);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const items = this.#items;
    this.#items = [];
    this.#run(items);
  }
}
