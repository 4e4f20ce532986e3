import type { Client } from "@temporalio/client";
import { runInput } from "../src/client/read-history.ts";
import { workflowIdOf } from "../src/protocol/session.ts";

const cachedRuns = 500;

/**
 * Variables that commands of a session get, as recorded in the run's input. Read from there once per run: repeating them in
 * each call's input would be a good part of the history.
 */
export class Environments {
  readonly #client: Client;
  readonly #byRun = new Map<string, Promise<Record<string, string>>>();

  constructor(client: Client) {
    this.#client = client;
  }

  of(sessionId: string, runId: string): Promise<Record<string, string>> {
    const known = this.#byRun.get(runId);
    if (known) return known;
    const reading = runInput(this.#client, workflowIdOf(sessionId), runId).then(({ environment }) => environment);
    reading.catch(() => this.#byRun.delete(runId));
    this.#byRun.set(runId, reading);
    if (this.#byRun.size > cachedRuns) this.#byRun.delete(this.#byRun.keys().next().value!);
    return reading;
  }
}
