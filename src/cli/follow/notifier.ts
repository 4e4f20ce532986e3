import type { OutputStream } from "../services.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** Who looks away for this long may have gone to another window. */
const quietAfterMs = 10_000;

/** Bell, OSC 9 and window title when something wants the person after they were not needed for a while. */
export class Notifier {
  private readonly out: OutputStream;
  private readonly enabled: boolean;
  private readonly now: () => number;
  private seenAt: number;
  private titled = false;

  constructor(out: OutputStream, options: { enabled: boolean; now: () => number }) {
    this.out = out;
    this.enabled = options.enabled;
    this.now = options.now;
    this.seenAt = options.now();
  }

  /** The person pressed a key: they are here. */
  seen(): void {
    this.seenAt = this.now();
    if (this.titled) this.out.write("\x1b]2;\x07");
    this.titled = false;
  }

  tell(text: string): void {
    if (!this.enabled || this.now() - this.seenAt < quietAfterMs) return;
    const words = sanitiseLine(text);
    this.out.write(`\x07\x1b]9;${words}\x07\x1b]2;${words}\x07`);
    this.titled = true;
    this.seenAt = this.now();
  }
}
