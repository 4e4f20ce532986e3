import type { IncomingMessage } from "node:http";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { HttpError } from "./http-error.ts";

/** Who asks: a device by its cookie, or a program that holds the token. */
export interface Caller {
  /** Of the device; `bearer` for the token itself. */
  id: string;
  /** Stands at decisions. */
  name: string;
}

export interface GuardOptions {
  allowed: AllowedHosts;
  /** True for the token of this machine. */
  isToken(text: string): boolean;
  callerOf(cookieSecret: string): Caller | undefined;
  cookieName: string;
  /** The caller of the token itself. */
  bearer: Caller;
  /** Whether this needs no sign-in. Everything else does, unknown paths too. */
  isPublic(path: string): boolean;
  /** Whether it is the page itself, which holds no data. */
  isPage(path: string): boolean;
}

const jsonType = /^application\/json(?:\s*;\s*charset=[\w"-]+)?$/i;
const harmless = new Set(["GET", "HEAD"]);

/**
 * What must hold before a route or a body is looked at; throws HttpError. In this order: Host, Origin, where the browser says it
 * comes from, content type, sign-in. Undefined: nobody is signed in, and the path needs nobody.
 */
export function checkRequest(incoming: IncomingMessage, options: GuardOptions): Caller | undefined {
  const { allowed } = options;
  const method = incoming.method ?? "";
  const path = pathOf(incoming);
  checkHost(incoming, allowed);
  const origin = checkOrigin(incoming, allowed);
  checkFetchSite(incoming, harmless.has(method) && options.isPage(path));
  const bearer = isBearer(incoming, options);
  if (!harmless.has(method)) {
    if (origin === undefined && !bearer) {
      throw new HttpError(403, "a request that changes something must say its Origin");
    }
    const type = only(incoming, "content-type", 415) ?? "";
    if (!jsonType.test(type.trim())) throw new HttpError(415, "the content type must be application/json");
  }
  const caller = bearer ? options.bearer : callerByCookie(incoming, options);
  if (!caller && !options.isPublic(path)) {
    throw new HttpError(401, "not signed in", { next: "open the link that tempi web prints" });
  }
  return caller;
}

/** Path without query, as it was sent. */
export const pathOf = (incoming: IncomingMessage): string => (incoming.url ?? "").split(/[?#]/, 1)[0]!;

function checkHost(incoming: IncomingMessage, { hosts }: AllowedHosts): void {
  const values = valuesOf(incoming, "host");
  if (values.length !== 1 || values[0] === "") throw new HttpError(400, "a request must have exactly one Host");
  checkPath(incoming);
  if (!hosts.has(values[0]!.toLowerCase())) {
    throw new HttpError(403, "this server does not answer under that name", {
      next: "use the link that tempi web prints; behind a proxy: tempi web --public-url https://NAME",
    });
  }
}

/**
 * The path that is checked must be the path that is routed: no absolute address (it would name another host), nothing that becomes
 * another path when it is read as a URL, such as `/s/..\\api`.
 */
function checkPath(incoming: IncomingMessage): void {
  const path = pathOf(incoming);
  const isPlain = path.startsWith("/") && URL.parse(`http://host${path}`)?.pathname === path;
  if (!isPlain) throw new HttpError(400, "the request line must hold a plain path");
}

/**
 * The page's own address, as it is asked now: `http://localhost:PORT` on a phone is another machine's page. A proxy in front may
 * have put another Host.
 */
function checkOrigin(incoming: IncomingMessage, { origins, publicOrigin }: AllowedHosts): string | undefined {
  const origin = only(incoming, "origin", 403);
  if (origin === undefined) return undefined;
  const isOwn = origin === publicOrigin || origin === `http://${valuesOf(incoming, "host")[0]?.toLowerCase()}`;
  if (!origins.has(origin) || !isOwn) throw new HttpError(403, "the Origin is not this page's");
  return origin;
}

/** A link to the page from elsewhere may be followed: the page holds no data, and what it then asks comes from itself. */
function checkFetchSite(incoming: IncomingMessage, isPageRead: boolean): void {
  const site = only(incoming, "sec-fetch-site", 403);
  if (site === undefined || site === "same-origin" || site === "none") return;
  const mode = only(incoming, "sec-fetch-mode", 403);
  const destination = only(incoming, "sec-fetch-dest", 403);
  if (isPageRead && mode === "navigate" && destination === "document") return;
  throw new HttpError(403, "the request comes from another site");
}

function isBearer(incoming: IncomingMessage, options: GuardOptions): boolean {
  const header = only(incoming, "authorization", 401);
  const token = /^Bearer ([\w-]+)$/.exec(header ?? "")?.[1];
  return token !== undefined && options.isToken(token);
}

/** Pages of other ports of this host may set a cookie of this name too: the one that is known counts. */
function callerByCookie(incoming: IncomingMessage, { cookieName, callerOf }: GuardOptions): Caller | undefined {
  for (const header of valuesOf(incoming, "cookie")) {
    for (const part of header.split(";")) {
      const [name, value] = part.trim().split("=", 2);
      const caller = name === cookieName && value ? callerOf(value) : undefined;
      if (caller) return caller;
    }
  }
  return undefined;
}

function only(incoming: IncomingMessage, name: string, status: number): string | undefined {
  const values = valuesOf(incoming, name);
  if (values.length > 1) throw new HttpError(status, `a request must not have two headers ${name}`);
  return values[0];
}

/** From the raw headers: Node keeps the first of two Hosts and joins others. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === name) values.push(rawHeaders[at + 1]!.trim());
  }
  return values;
}
