import { Buffer } from "node:buffer";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Audit } from "./audit.ts";
import type { Caller } from "./guard.ts";
import { HttpError, httpErrorOf } from "./http-error.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./route.ts";

type Bindings = { Bindings: HttpBindings };

/** The Hono app of a table of routes. Whatever reaches it passed the guard, which runs before. */
export function webApp(
  routes: readonly Route[],
  audit: Audit,
  callerOf: (incoming: HttpBindings["incoming"]) => Caller | undefined,
): Hono<Bindings> {
  const app = new Hono<Bindings>();
  for (const route of routes) {
    app.on(route.method, route.path, (context) => {
      const caller = callerOf(context.env.incoming);
      // The guard has seen to it; should the two ever differ about a path, the table goes first.
      if (route.guard === "device" && !caller) throw new HttpError(401, "not signed in");
      return route.handle({
        incoming: context.env.incoming,
        outgoing: context.env.outgoing,
        caller,
        isHead: context.req.method === "HEAD",
        parameter: (name) => context.req.param(name) ?? "",
        query: (name) => context.req.query(name),
        body: (schema) => readBody(context.env.incoming, schema),
      });
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, () => {
      throw new HttpError(405, "this path has no such method", { headers: { Allow: methods.join(", ") } });
    });
  }
  app.notFound((context) => failed(context, new HttpError(404, "no such path")));
  app.onError((error, context) => {
    const { answer, unexpected } = httpErrorOf(error);
    if (unexpected) audit.error(`${context.req.method} ${context.req.routePath ?? ""}`, error);
    return failed(context, answer);
  });
  return app;
}

function failed(context: Context, error: HttpError): Response {
  const text = JSON.stringify(error.body);
  return context.body(text, error.status as ContentfulStatusCode, {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(text)),
    ...error.headers,
  });
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return methods;
}
