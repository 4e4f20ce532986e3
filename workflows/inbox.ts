import { condition, setDefaultSignalHandler, setHandler } from "@temporalio/workflow";
import {
  abortSignal,
  configureSignal,
  decideSignal,
  finishSignal,
  promptSignal,
  retrySignal,
} from "../src/protocol/session.ts";
import { type DecodedSignal, decodeSignal, isSignalName } from "./decode-signal.ts";

const seenSignalsKept = 2_000;

/** Signals as they came. Handlers only push; everything else happens in the pump, where a fault can be caught. */
export class Inbox {
  readonly #waiting: { name: string; payload: unknown }[] = [];
  readonly #seen: Set<string>;

  constructor(seen: string[]) {
    this.#seen = new Set(seen);
    for (const definition of [promptSignal, decideSignal, abortSignal, configureSignal, retrySignal, finishSignal]) {
      setHandler(definition, (payload: unknown) => {
        this.#waiting.push({ name: definition.name, payload });
      });
    }
    setDefaultSignalHandler((name, ...args) => {
      this.#waiting.push({ name, payload: args[0] });
    });
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  get seen(): string[] {
    return [...this.#seen].slice(-seenSignalsKept);
  }

  /** Hands each signal to `take` once, by its id, for as long as the run lives. `onFault` hears of what can't be read. */
  async pump(take: (signal: DecodedSignal) => void, onFault: (text: string) => void): Promise<never> {
    for (;;) {
      await condition(() => !this.empty);
      const { name, payload } = this.#waiting.shift()!;
      try {
        if (!isSignalName(name)) {
          onFault(`unknown signal "${name.slice(0, 100)}" ignored`);
          continue;
        }
        const decoded = decodeSignal(name, payload);
        if ("error" in decoded) onFault(decoded.error.slice(0, 500));
        else if (!this.#seen.has(decoded.payload.id)) {
          this.#seen.add(decoded.payload.id);
          take(decoded);
        }
      } catch (error) {
        onFault(`a signal could not be handled: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
