import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { UserError } from "../../config/errors.ts";
import type { Audit } from "./audit.ts";
import { type Caller, checkRequest, type GuardOptions, pathOf } from "./guard.ts";
import { answerHeaders } from "./headers.ts";
import { HttpError, httpErrorOf } from "./http-error.ts";
import { checkLength } from "./read-body.ts";

const socketsAtMost = 1_000;
const headersWithinMs = 10_000;
const requestWithinMs = 30_000;
/** Event streams send something each 15 s, so a connection that is quiet this long is dead or stuck. */
const quietMs = 120_000;
/** After a refusal what is still being sent is thrown away for this long, so that the sender can read the answer. */
const drainMs = 1_000;

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

export interface WebListener {
  /** Listens; the port it got. */
  bind(address: string, port: number): Promise<number>;
  /** From now on answers; before, everything is 503. */
  serve(guard: GuardOptions, fetch: Fetch): void;
  close(): Promise<void>;
}

/** The HTTP servers below Hono: they see raw headers and upgrades, and ask the guard before anything else happens. */
export function webListener({ audit, callers }: { audit: Audit; callers: WeakMap<object, Caller> }): WebListener {
  const servers: Server[] = [];
  let guard: GuardOptions | undefined;
  let answer: ReturnType<typeof getRequestListener> | undefined;

  const check = (incoming: IncomingMessage): HttpError | undefined => {
    try {
      if (!guard) throw new HttpError(503, "starting");
      const caller = checkRequest(incoming, guard);
      checkLength(incoming);
      if (caller) callers.set(incoming, caller);
      return undefined;
    } catch (error) {
      const refusal = httpErrorOf(error);
      if (refusal.unexpected) audit.error("the guard", error);
      else audit.refused(`${refusalWords(incoming)}: ${refusal.answer.status}, ${refusal.answer.message}`);
      return refusal.answer;
    }
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    for (const [name, value] of Object.entries(answerHeaders)) outgoing.setHeader(name, value);
    const refusal = check(incoming) ?? unusualMethod(incoming);
    if (refusal) return refuse(incoming, outgoing, refusal);
    if (incoming.headers.expect !== undefined) outgoing.writeContinue();
    void answer!(incoming, outgoing);
  };
  const onUpgrade = (incoming: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    const refusal = check(incoming) ?? new HttpError(426, "this server speaks plain HTTP only");
    socket.end(rawAnswer(refusal));
  };

  return {
    bind: async (address, port) => {
      const server = createServer({
        headersTimeout: headersWithinMs,
        requestTimeout: requestWithinMs,
        connectionsCheckingInterval: 5_000,
        // The guard answers a missing Host itself, with all headers.
        requireHostHeader: false,
      });
      server.maxConnections = socketsAtMost;
      server.timeout = quietMs;
      server.on("request", onRequest);
      server.on("checkContinue", onRequest);
      server.on("upgrade", onUpgrade);
      server.on("connect", onUpgrade);
      server.on("clientError", (_error, socket) => {
        if (socket.writable) socket.end(rawAnswer(new HttpError(400, "this is not HTTP/1.1")));
        else socket.destroy();
      });
      await new Promise<void>((resolve, reject) => {
        server.once("error", (error) => reject(bindError(error, address, port)));
        server.listen({ host: address, port, exclusive: true }, () => {
          server.removeAllListeners("error");
          resolve();
        });
      });
      servers.push(server);
      return (server.address() as AddressInfo).port;
    },
    serve: (options, fetch) => {
      guard = options;
      answer = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], { overrideGlobalObjects: false });
    },
    close: async () => {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              server.close(() => resolve());
              server.closeAllConnections();
            }),
        ),
      );
    },
  };
}

function bindError(error: NodeJS.ErrnoException, address: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new UserError(`port ${port} of ${address} is taken`, {
      next: "tempi web --port NUMBER (0 = any)",
      cause: error,
    });
  }
  if (error.code === "EADDRNOTAVAIL") {
    return new UserError(`${address} is no address of this machine`, { next: "tempi web --lan ADDRESS", cause: error });
  }
  return error;
}

/** Methods that Hono's Request cannot even be made of. */
function unusualMethod({ method }: IncomingMessage): HttpError | undefined {
  const known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  return known.includes(method ?? "")
    ? undefined
    : new HttpError(405, "this path has no such method", { headers: { Allow: "GET, HEAD, POST" } });
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: HttpError): void {
  const text = JSON.stringify(refusal.body);
  const hasBody =
    incoming.headers["content-length"] !== undefined || incoming.headers["transfer-encoding"] !== undefined;
  outgoing.writeHead(refusal.status, {
    ...refusal.headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...(hasBody ? { Connection: "close" } : {}),
  });
  outgoing.end(incoming.method === "HEAD" ? undefined : text);
  if (!hasBody) return;
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), drainMs).unref();
  incoming.on("close", () => clearTimeout(timer));
  incoming.on("error", () => undefined).resume();
}

function rawAnswer(refusal: HttpError): string {
  const text = JSON.stringify(refusal.body);
  const headers = {
    ...answerHeaders,
    ...refusal.headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`, ...lines, "", text].join("\r\n");
}

const refusalWords = (incoming: IncomingMessage): string =>
  `${incoming.method} ${pathOf(incoming).slice(0, 100)} from ${incoming.socket.remoteAddress ?? "unknown"}`;
