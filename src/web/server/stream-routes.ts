import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { callerOf, type Route, type RouteRequest, sessionIdOf, wholeNumber } from "./route.ts";
import type { Streams } from "./streams/streams.ts";

const headOnly = (): Response =>
  new Response(null, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });

/** The event streams. They write to the connection themselves, so that they see how fast it takes what they write. */
export function streamRoutes(streams: Streams): Route[] {
  return [
    {
      method: "GET",
      path: "/api/sessions/stream",
      guard: "device",
      handle: (request) => {
        if (request.isHead) return headOnly();
        streams.openOverview(callerOf(request), request.outgoing);
        return RESPONSE_ALREADY_SENT;
      },
    },
    {
      method: "GET",
      path: "/api/sessions/:id/stream",
      guard: "device",
      handle: async (request) => {
        const id = sessionIdOf(request);
        const after = afterOf(request);
        if (request.isHead) return headOnly();
        await streams.openSession(callerOf(request), request.outgoing, id, after);
        return RESPONSE_ALREADY_SENT;
      },
    },
  ];
}

/** A browser that comes back sends the header; the first time only the query can say where to begin. */
function afterOf(request: RouteRequest): number | undefined {
  const header = request.incoming.headers["last-event-id"];
  if (header !== undefined) return wholeNumber("Last-Event-ID", String(header));
  const query = request.query("after");
  return query === undefined ? undefined : wholeNumber("after", query);
}
