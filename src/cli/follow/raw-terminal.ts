import { StringDecoder } from "node:string_decoder";
import type { CliServices } from "../services.ts";
import { type Key, KeyDecoder } from "./keys.ts";

/** A lone Esc is one when nothing followed for this long. */
const escapeDelayMs = 40;
/** Who still runs so long after Ctrl-Z was not stopped: the kernel ignores it where no shell could wake the group. */
const suspendPatienceMs = 250;

/** Raw mode with bracketed paste, until `close`; the terminal is put back however the process ends. */
export class RawTerminal {
  private readonly services: Pick<CliServices, "stdin" | "stdout">;
  private readonly decoder = new KeyDecoder();
  private readonly bytes = new StringDecoder("utf8");
  private readonly onKey: (key: Key) => void;
  private timer: NodeJS.Timeout | undefined;
  private open = false;

  constructor(services: Pick<CliServices, "stdin" | "stdout">, onKey: (key: Key) => void) {
    this.services = services;
    this.onKey = onKey;
    this.enter();
    process.once("exit", this.close);
  }

  readonly close = (): void => {
    if (!this.open) return;
    this.leave();
    process.off("exit", this.close);
  };

  /**
   * Ctrl-Z: gives the terminal back to the shell and takes it again when the person returns. The whole group stops, as it
   * does without raw mode: the shell waits for its own child, which may be an older Node that started this one.
   */
  suspend(resumed: () => void): void {
    if (!this.open) return;
    this.leave();
    const back = (): void => {
      clearTimeout(timer);
      process.off("SIGCONT", back);
      this.enter();
      resumed();
    };
    process.once("SIGCONT", back);
    const timer = setTimeout(back, suspendPatienceMs);
    process.kill(0, "SIGTSTP");
  }

  private enter(): void {
    this.open = true;
    this.services.stdin.setRawMode?.(true);
    this.services.stdin.on("data", this.take);
    this.services.stdin.resume();
    this.services.stdout.write("\x1b[?2004h");
  }

  private leave(): void {
    this.open = false;
    clearTimeout(this.timer);
    this.services.stdin.off("data", this.take);
    this.services.stdin.setRawMode?.(false);
    this.services.stdin.pause();
    this.services.stdout.write("\x1b[?2004l\x1b[?25h");
  }

  private readonly take = (chunk: Buffer | string): void => {
    clearTimeout(this.timer);
    const text = typeof chunk === "string" ? chunk : this.bytes.write(chunk);
    for (const key of this.decoder.push(text)) this.onKey(key);
    if (!this.decoder.waiting) return;
    this.timer = setTimeout(() => {
      for (const key of this.decoder.flush()) this.onKey(key);
    }, escapeDelayMs);
  };
}
