import type { EventItem, SessionClient } from "../../client/contract.ts";
import type { Streams } from "./streams/streams.ts";

const eventsAtOnce = 500;

/** Events that end before `before`: of the run before, or those of the newest run that the server let go to bound its memory. */
export async function eventsBefore(
  client: SessionClient,
  streams: Streams,
  sessionId: string,
  before: number,
): Promise<EventItem[]> {
  const letGo = streams.known(sessionId)?.letGo;
  if (!letGo || before <= letGo.from || before > letGo.to) return await client.eventsBefore(sessionId, before);
  const stop = new AbortController();
  const events: EventItem[] = [];
  const after = Math.max(letGo.from - 1, before - 1 - eventsAtOnce);
  try {
    for await (const item of client.follow(sessionId, { after, signal: stop.signal })) {
      // Without a worker there is nothing to read; the reader asks again when it is back.
      if (item.kind === "offline" && item.offline) break;
      if (item.kind !== "event") continue;
      if (item.event.seq < before) events.push(item);
      if (item.event.seq >= before - 1) break;
    }
  } finally {
    stop.abort();
  }
  return events;
}
