import type { IncomingMessage, ServerResponse } from "node:http";
import type { Static, TSchema } from "@sinclair/typebox";
import { sessionIdPattern } from "../../protocol/session.ts";
import type { Caller } from "./guard.ts";
import { HttpError } from "./http-error.ts";

/** What a handler sees of a request that passed the guard. */
export interface RouteRequest {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Who is signed in; undefined only on public routes. */
  caller: Caller | undefined;
  isHead: boolean;
  parameter(name: string): string;
  query(name: string): string | undefined;
  /** The body, checked; HttpError names what is wrong. */
  body<T extends TSchema>(schema: T): Promise<Static<T>>;
}

/** `public` routes need no sign-in and hold no data. The whole server is this table: what is not in it is not served. */
export interface Route {
  method: "GET" | "POST";
  /** `/a/:b`: a name takes one part of the path. */
  path: string;
  guard: "public" | "device";
  /** The page itself, which a link from elsewhere may open. */
  isPage?: true;
  handle(request: RouteRequest): Response | Promise<Response>;
}

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json", ...headers } });

export const nothing = (status: 202 | 204, headers: Record<string, string> = {}): Response =>
  status === 204 ? new Response(null, { status, headers }) : json(status, {}, headers);

/** Of a route with the guard `device`. */
export function callerOf({ caller }: RouteRequest): Caller {
  if (!caller) throw new HttpError(401, "not signed in");
  return caller;
}

/** The id in the path, looked at before anything is asked of anybody. */
export function sessionIdOf(request: RouteRequest): string {
  const id = request.parameter("id");
  if (!sessionIdPattern.test(id)) throw new HttpError(404, "no such session", { next: "tempi list" });
  return id;
}

/** A number in the query or a header: whole and not negative, else 400. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, `${name} must be a whole number, 0 or more`);
  return Number(text);
}

/** Whether a path is one that the table's path describes. */
export function pathPattern(path: string): RegExp {
  const parts = path
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return new RegExp(`^${parts.join("/")}$`);
}
