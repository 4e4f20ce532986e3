const windowMs = 60_000;
const linesInWindow = 10;

/** Lines about who did what, for the log. Refused requests are told a few times a minute, then counted. */
export class Audit {
  readonly #log: (line: string) => void;
  #windowStart = 0;
  #told = 0;
  #untold = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** What somebody did; always told. */
  tell(line: string): void {
    this.#log(`audit: ${oneLine(line)}`);
  }

  refused(line: string, now = Date.now()): void {
    if (now - this.#windowStart > windowMs) {
      if (this.#untold > 0) this.#log(`audit: ${this.#untold} more requests were refused`);
      this.#windowStart = now;
      this.#told = this.#untold = 0;
    }
    if (++this.#told > linesInWindow) this.#untold++;
    else this.tell(`refused: ${line}`);
  }

  error(where: string, error: unknown): void {
    this.#log(`error: ${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

/** What a stranger sent must not look like another line of the log. */
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?").slice(0, 500);
