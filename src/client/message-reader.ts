import type { Message } from "../agent/messages.ts";
import { transcriptQuery, workflowIdOf } from "../protocol/session.ts";
import type { ClientContext } from "./client-context.ts";
import { readRun } from "./read-history.ts";

/** Bodies of the messages that events name, fetched a page at a time. */
export class MessageReader {
  readonly #context: ClientContext;
  readonly #sessionId: string;
  readonly #bodies = new Map<string, Message>();

  constructor(context: ClientContext, sessionId: string) {
    this.#context = context;
    this.#sessionId = sessionId;
  }

  /**
   * @param index position in the whole session's transcript
   * @param runId run that holds it; the newest when absent
   */
  async read(id: string, index: number, runId?: string): Promise<Message | undefined> {
    if (!this.#bodies.has(id)) await this.#fetch(index, runId);
    const message = this.#bodies.get(id);
    // Each is told once; keeping it would hold the whole transcript in memory.
    this.#bodies.delete(id);
    return message;
  }

  async #fetch(index: number, runId?: string): Promise<void> {
    const workflowId = workflowIdOf(this.#sessionId);
    const handle = this.#context.client.workflow.getHandle(workflowId, runId);
    const first = await handle.query(transcriptQuery, Number.MAX_SAFE_INTEGER);
    if ("error" in first) throw new Error(first.error);
    const base = first.segments.reduce((sum, { from, to }) => sum + to - from, 0);
    const page = await handle.query(transcriptQuery, Math.max(0, index - base));
    if ("error" in page) throw new Error(page.error);
    for (const entry of page.entries) {
      if ("message" in entry) this.#bodies.set(entry.id, entry.message);
      else {
        const { prompts } = await readRun(this.#context.client, workflowId, entry.runId);
        const prompt = prompts.find(({ id }) => id === entry.id);
        if (prompt) this.#bodies.set(entry.id, prompt.message);
      }
    }
  }
}
