import type { Message } from "../agent/messages.ts";
import { type EventsPage, eventsQuery, workflowIdOf } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { EventItem } from "./contract.ts";
import { readRun } from "./read-history.ts";

/** Events of a page with the bodies of the messages they name. */
export async function eventItems(
  context: ClientContext,
  sessionId: string,
  { events, messages }: EventsPage,
): Promise<EventItem[]> {
  const entries = new Map(messages.map((entry) => [entry.id, entry]));
  const items: EventItem[] = [];
  for (const event of events) {
    const entry = event.type === "message_end" ? entries.get(event.messageId) : undefined;
    const message = entry && ("message" in entry ? entry.message : await promptElsewhere(context, sessionId, entry));
    items.push({ kind: "event", event, ...(message ? { message } : {}) });
  }
  return items;
}

/** A prompt that an earlier run received: its text stands there. */
async function promptElsewhere(
  context: ClientContext,
  sessionId: string,
  { id, runId }: { id: string; runId: string },
): Promise<Message | undefined> {
  const { prompts } = await readRun(context.client, workflowIdOf(sessionId), runId);
  return prompts.find((prompt) => prompt.id === id)?.message;
}

/** Events of the run before the one that holds `seq`, oldest first; none when `seq` is in the first run. */
export async function eventsBefore(context: ClientContext, sessionId: string, seq: number): Promise<EventItem[]> {
  let runId: string | undefined;
  for (;;) {
    const page = await ask(context, sessionId, runId, 0);
    // The newest run that begins before it: that is the one before the run that holds it.
    if (page.first < seq) return page.last >= page.first ? await wholeRun(context, sessionId, runId, page) : [];
    if (!page.previousRunId) return [];
    runId = page.previousRunId;
  }
}

async function wholeRun(
  context: ClientContext,
  sessionId: string,
  runId: string | undefined,
  begin: EventsPage,
): Promise<EventItem[]> {
  const items: EventItem[] = [];
  for (let page = begin; page.events.length > 0; page = await ask(context, sessionId, runId, page.events.at(-1)!.seq)) {
    items.push(...(await eventItems(context, sessionId, page)));
    if (page.events.at(-1)!.seq >= page.last) break;
  }
  return items;
}

async function ask(
  context: ClientContext,
  sessionId: string,
  runId: string | undefined,
  after: number,
): Promise<EventsPage> {
  const handle = runId
    ? context.client.workflow.getHandle(workflowIdOf(sessionId), runId)
    : sessionHandle(context, sessionId);
  const page = await handle.query(eventsQuery, after);
  if ("error" in page) throw new Error(page.error);
  return page;
}
