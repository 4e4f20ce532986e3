import type { Client } from "@temporalio/client";
import type { Message, StoredMessage } from "../src/agent/messages.ts";
import { readRun } from "../src/client/read-history.ts";
import type { TranscriptReference } from "../src/protocol/activities.ts";
import { type TranscriptSegment, transcriptQuery, workflowIdOf } from "../src/protocol/session.ts";

const cachedMessages = 20_000;
const cachedRuns = 500;

/**
 * Messages by reference. A cache keyed by the ids that activity attempts made, so no attempt can poison another's. What is
 * missing of an open run that this worker knows (a prompt) is asked of the workflow, by paged query. Everything else is read
 * from history: that waits for no workflow task, and after a worker's death those wait for seconds.
 */
export class Transcripts {
  readonly #client: Client;
  readonly #summaries = new Map<string, string>();
  readonly #bodies = new Map<string, Message>();
  /** Ids of a run's messages, in order, as far as model inputs and readings have named them. */
  readonly #runs = new Map<string, string[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Remembers a message that this worker made. */
  keep({ id, message }: StoredMessage): void {
    this.#bodies.delete(id);
    this.#bodies.set(id, message);
    if (this.#bodies.size > cachedMessages) this.#bodies.delete(this.#bodies.keys().next().value!);
  }

  keepSummary({ id, text }: { id: string; text: string }): void {
    this.#summaries.set(id, text);
    if (this.#summaries.size > cachedRuns) this.#summaries.delete(this.#summaries.keys().next().value!);
  }

  /** Text of a summary that `compact` made in some run of the session. */
  async summary(sessionId: string, { id, runId }: { id: string; runId: string }): Promise<string> {
    if (!this.#summaries.has(id)) {
      const { summaries } = await readRun(this.#client, workflowIdOf(sessionId), runId);
      for (const summary of summaries) this.keepSummary(summary);
    }
    const text = this.#summaries.get(id);
    if (text === undefined) throw new Error(`summary ${id} is named in history, but its text was not found`);
    return text;
  }

  /** All messages of the conversation that a model input refers to, in order. */
  async resolve(sessionId: string, reference: TranscriptReference): Promise<Message[]> {
    const earlier: Message[] = [];
    for (const { runId, from, to } of reference.segments) {
      earlier.push(...(await this.#closedRun(sessionId, runId)).slice(from, to).map(({ message }) => message));
    }
    const { runId, from, ids } = reference;
    const before = this.#runs.get(runId)?.slice(0, from);
    if (before?.length === from) this.#keepRun(runId, [...before, ...ids]);
    else await this.#readFromHistory(sessionId, runId);
    const known = this.#runs.get(runId)!;
    const end = from + ids.length;
    // A history that was read short of a message would put each later one in another's place.
    const isOurs = ids.every((id, at) => known[from + at] === id);
    const missing = isOurs ? known.slice(0, end).findIndex((id) => !this.#bodies.has(id)) : 0;
    if (missing >= 0) await this.#readOpenRun(sessionId, runId, missing, end);
    const all = this.#runs.get(runId)!.slice(0, end);
    return [...earlier, ...all.map((id) => this.#body(id))];
  }

  /** The conversation of an open run up to and including a message, in order. */
  async upTo(sessionId: string, runId: string, messageId: string): Promise<Message[]> {
    const segments = await this.#readWholeRun(sessionId, runId);
    const earlier: Message[] = [];
    for (const segment of segments) {
      const messages = await this.#closedRun(sessionId, segment.runId);
      earlier.push(...messages.slice(segment.from, segment.to).map(({ message }) => message));
    }
    const ids = this.#runs.get(runId) ?? [];
    return [...earlier, ...ids.slice(0, ids.indexOf(messageId) + 1).map((id) => this.#body(id))];
  }

  /** One message of an open run. */
  async find(sessionId: string, runId: string, messageId: string): Promise<Message> {
    if (!this.#bodies.has(messageId)) await this.#readWholeRun(sessionId, runId);
    return this.#body(messageId);
  }

  #body(id: string): Message {
    const message = this.#bodies.get(id);
    if (!message) throw new Error(`message ${id} is named in history, but its text was not found`);
    return message;
  }

  #keepRun(runId: string, ids: string[]): void {
    this.#runs.delete(runId);
    this.#runs.set(runId, ids);
    if (this.#runs.size > cachedRuns) this.#runs.delete(this.#runs.keys().next().value!);
  }

  async #closedRun(sessionId: string, runId: string): Promise<StoredMessage[]> {
    const ids = this.#runs.get(runId);
    if (ids?.every((id) => this.#bodies.has(id)) && this.#complete.has(runId)) {
      return ids.map((id) => ({ id, message: this.#bodies.get(id)! }));
    }
    const { messages } = await readRun(this.#client, workflowIdOf(sessionId), runId);
    for (const stored of messages) this.keep(stored);
    this.#keepRun(
      runId,
      messages.map(({ id }) => id),
    );
    this.#complete.add(runId);
    return messages;
  }

  /** Runs read to their end: their list of ids is whole. */
  readonly #complete = new Set<string>();

  #readWholeRun(sessionId: string, runId: string): Promise<TranscriptSegment[]> {
    return this.#runs.has(runId)
      ? this.#readOpenRun(sessionId, runId, 0, Number.POSITIVE_INFINITY)
      : this.#readFromHistory(sessionId, runId);
  }

  /** Asks the workflow for its messages `from` and on, until at least `to` of all are known; what comes before `from` is known. */
  async #readOpenRun(sessionId: string, runId: string, from: number, to: number): Promise<TranscriptSegment[]> {
    let segments: TranscriptSegment[] = [];
    const handle = this.#client.workflow.getHandle(workflowIdOf(sessionId), runId);
    const ids = (this.#runs.get(runId) ?? []).slice(0, from);
    try {
      for (let count = from + 1; ids.length < Math.min(count, to); ) {
        const page = await handle.query(transcriptQuery, ids.length);
        if ("error" in page) throw new Error(page.error);
        count = page.count;
        segments = page.segments;
        for (const entry of page.entries) {
          ids.push(entry.id);
          if ("message" in entry) this.keep(entry);
          else if (!this.#bodies.has(entry.id)) await this.#readPrompt(sessionId, entry.runId, entry.id);
        }
        if (page.entries.length === 0) break;
      }
    } catch {
      // No query is answered while a workflow task fails or the run is closed; history always is.
      return this.#readFromHistory(sessionId, runId);
    }
    this.#keepRun(runId, ids);
    return segments;
  }

  async #readFromHistory(sessionId: string, runId: string): Promise<TranscriptSegment[]> {
    const { messages, input } = await readRun(this.#client, workflowIdOf(sessionId), runId);
    for (const stored of messages) this.keep(stored);
    this.#keepRun(
      runId,
      messages.map(({ id }) => id),
    );
    return input?.previous?.carried.segments ?? [];
  }

  /** A prompt that an earlier run received and this one took. */
  async #readPrompt(sessionId: string, runId: string, id: string): Promise<void> {
    const { prompts } = await readRun(this.#client, workflowIdOf(sessionId), runId);
    const found = prompts.find((prompt) => prompt.id === id);
    if (found) this.keep(found);
  }
}
