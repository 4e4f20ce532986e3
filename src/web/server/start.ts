import type { RememberedRule } from "../../agent/approval.ts";
import type { SessionClient } from "../../client/contract.ts";
import { type Home, webTokenOf } from "../../config/home.ts";
import { DeviceBook } from "../access/devices.ts";
import type { NewSessionOptions, StartAnswer, StartRequest } from "../api.ts";
import { type AllowedHosts, allowedHosts } from "./allowed-hosts.ts";
import { webApp } from "./app.ts";
import { Audit } from "./audit.ts";
import { decideRoute } from "./decide-route.ts";
import type { Caller, GuardOptions } from "./guard.ts";
import { webListener } from "./listener.ts";
import { pathPattern, type Route, type RouteRequest } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { isSameSecret, signInRoutes } from "./sign-in-routes.ts";
import { pageRoutes, StaticFiles } from "./static-files.ts";
import { streamRoutes } from "./stream-routes.ts";
import { Streams, type StreamsOptions } from "./streams/streams.ts";

export interface WebServerOptions {
  home: Home;
  client: SessionClient;
  /** Built page: folder with index.html and hashed assets. */
  pageFolder: string;
  /** 0 = any. */
  port: number;
  /** Address besides 127.0.0.1 that is bound, such as 192.168.1.5. */
  lan?: string;
  /** `https://…` of a proxy in front. */
  publicUrl?: string;
  version: string;
  /** `user@host`: name of who comes with the token of this machine. */
  person: string;
  /** Base of the Temporal UI on this machine, such as `http://127.0.0.1:7612`; told only to browsers of this machine. */
  temporalUi?: () => string | undefined;
  /** Starts a session; throws errors of the shape of `UserError`. */
  startSession(request: StartRequest): Promise<StartAnswer>;
  newSessionOptions(): Promise<NewSessionOptions>;
  /** Writes the rule of a decision `remember: "project"` after it was accepted. */
  addProjectRule(rule: RememberedRule): Promise<void>;
  /** Audit and errors; never text of messages. */
  log(line: string): void;
  /** How long things last, for tests. */
  timing?: Pick<StreamsOptions, "beatMs" | "lingerMs" | "keptCharacters">;
}

/** Starts the server on 127.0.0.1 (and `lan`). `close` ends the streams and waits until the ports are free. */
export async function startWebServer(
  options: WebServerOptions,
): Promise<{ port: number; close(): Promise<void>; routes: readonly Route[] }> {
  const { home } = options;
  const audit = new Audit(options.log);
  const token = webTokenOf(home);
  const devices = new DeviceBook(home);
  const bearer: Caller = { id: "bearer", name: options.person };
  const streams = new Streams({
    ...options.timing,
    client: options.client,
    log: options.log,
    isAllowed: (id) => id === bearer.id || devices.isKnown(id),
  });
  const isToken = (text: string) => isSameSecret(text, token);
  const callers = new WeakMap<object, Caller>();

  const build = (port: number) => {
    const allowed = allowedHosts({ ...options, port });
    const cookieName = `tempi_${port}`;
    const routes: Route[] = [
      ...pageRoutes(new StaticFiles(options.pageFolder)),
      ...signInRoutes({ home, allowed, cookieName, isToken, audit, onForgotten: () => streams.endForbidden() }),
      ...streamRoutes(streams),
      decideRoute({ ...options, streams, audit }),
      ...sessionRoutes({
        ...options,
        streams,
        audit,
        temporalUiFor: (request) => temporalUiFor(options, allowed, request),
      }),
    ];
    const guard: GuardOptions = {
      allowed,
      isToken,
      bearer,
      cookieName,
      callerOf: (secret) => {
        const device = devices.find(secret);
        return device && { id: device.id, name: device.kind === "token" ? options.person : device.name };
      },
      isPublic: pathsOf(routes.filter((route) => route.guard === "public")),
      isPage: pathsOf(routes.filter((route) => route.isPage)),
    };
    const app = webApp(routes, audit, (incoming) => callers.get(incoming));
    return { routes, guard, app };
  };

  const listener = webListener({ audit, callers });
  const port = await listener.bind("127.0.0.1", options.port);
  const { routes, guard, app } = build(port);
  listener.serve(guard, app.fetch);
  if (options.lan !== undefined) {
    await listener.bind(options.lan, port).catch(async (error) => {
      streams.close();
      await listener.close();
      throw error;
    });
  }
  return {
    port,
    routes,
    close: async () => {
      streams.close();
      await listener.close();
    },
  };
}

function pathsOf(routes: readonly Route[]): (path: string) => boolean {
  const patterns = routes.map(({ path }) => pathPattern(path));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** A proxy on this machine also comes from 127.0.0.1: its readers are elsewhere, and name another host. */
function temporalUiFor(
  { temporalUi }: WebServerOptions,
  { loopback }: AllowedHosts,
  { incoming }: RouteRequest,
): string | undefined {
  const address = (incoming.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const isHere = address === "127.0.0.1" || address === "::1";
  return isHere && loopback.has((incoming.headers.host ?? "").toLowerCase()) ? temporalUi?.() : undefined;
}
