import type { SessionClient } from "../../client/contract.ts";
import type { Me, NewSessionOptions, SendRequest, SettingsRequest, StartAnswer, StartRequest } from "../api.ts";
import type { Audit } from "./audit.ts";
import { eventsBefore } from "./earlier-events.ts";
import { HttpError } from "./http-error.ts";
import { checkBody } from "./read-body.ts";
import { anySchema, emptySchema, sendSchema, settingsSchema, startSchema } from "./request-schemas.ts";
import { callerOf, json, nothing, type Route, type RouteRequest, sessionIdOf, wholeNumber } from "./route.ts";
import { sessionView } from "./session-view.ts";
import type { Streams } from "./streams/streams.ts";

export interface SessionParts {
  client: SessionClient;
  streams: Streams;
  audit: Audit;
  version: string;
  startSession(request: StartRequest): Promise<StartAnswer>;
  newSessionOptions(): Promise<NewSessionOptions>;
  /** Base of the Temporal UI, where this browser can reach it. */
  temporalUiFor(request: RouteRequest): string | undefined;
}

/** What may not be changed from the page at all: less asking, and where everything is sent. */
const policyKeys = ["approval", "model"] as const;

export function sessionRoutes(parts: SessionParts): Route[] {
  const { client, streams } = parts;
  const get = (path: string, handle: Route["handle"]): Route => ({ method: "GET", path, guard: "device", handle });
  const post = (path: string, handle: Route["handle"]): Route => ({ method: "POST", path, guard: "device", handle });
  const plain = (name: "stop" | "end" | "retry", act: (id: string, by: string) => Promise<void>) =>
    post(`/api/sessions/:id/${name}`, async (request) => {
      const id = sessionIdOf(request);
      await request.body(emptySchema);
      const { name: by } = callerOf(request);
      await act(id, by);
      parts.audit.tell(`${name} of ${id} by ${by}`);
      return nothing(202);
    });
  return [
    get("/api/me", (request) => {
      const temporalUi = parts.temporalUiFor(request);
      const { name } = callerOf(request);
      const me: Me = { name, version: parts.version, ...(temporalUi ? { temporalUi } : {}) };
      return json(200, me);
    }),
    get("/api/new", async () => json(200, await parts.newSessionOptions())),
    get("/api/sessions", async () => json(200, await streams.overviews.latest())),
    post("/api/sessions", async (request) => {
      const body: StartRequest = await request.body(startSchema);
      const answer = await parts.startSession(body);
      parts.audit.tell(`session ${answer.sessionId} started by ${callerOf(request).name}`);
      return json(201, answer);
    }),
    get("/api/sessions/:id", async (request) => {
      const account = await client.account(sessionIdOf(request));
      return json(200, sessionView(account, parts.temporalUiFor(request)));
    }),
    get("/api/sessions/:id/messages", async (request) =>
      json(200, (await client.account(sessionIdOf(request), { recorded: true })).messages),
    ),
    get("/api/sessions/:id/events", async (request) => {
      const before = wholeNumber("before", request.query("before") ?? "");
      return json(200, await eventsBefore(client, streams, sessionIdOf(request), before));
    }),
    post("/api/sessions/:id/send", async (request) => {
      const id = sessionIdOf(request);
      const body: SendRequest = await request.body(sendSchema);
      await client.send(id, body);
      return nothing(202);
    }),
    post("/api/sessions/:id/settings", async (request) => await settings(parts, request)),
    plain("stop", (id, by) => client.abort(id, by)),
    plain("end", (id, by) => client.finish(id, by)),
    plain("retry", (id, by) => client.retry(id, by)),
  ];
}

async function settings({ client, audit }: SessionParts, request: RouteRequest): Promise<Response> {
  const id = sessionIdOf(request);
  const value = await request.body(anySchema);
  const { name } = callerOf(request);
  const refused = policyKeys.find((key) => typeof value === "object" && value !== null && Object.hasOwn(value, key));
  if (refused !== undefined) {
    audit.tell(`refused: change of ${refused} of ${id} by ${name}`);
    throw new HttpError(403, `the page does not change "${refused}"`, { next: `tempi set ${id} --${refused} …` });
  }
  const changes: SettingsRequest = checkBody(value, settingsSchema);
  if (Object.keys(changes).length === 0) throw new HttpError(400, "there is nothing to change");
  await client.configure(id, changes);
  audit.tell(`settings of ${id} changed by ${name}`);
  return nothing(202);
}
