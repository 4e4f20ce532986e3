import { createHash, timingSafeEqual } from "node:crypto";
import type { Home } from "../../config/home.ts";
import { nameOfAgent } from "../access/device-name.ts";
import { addDevice, deviceLifeSeconds, revokeDevice } from "../access/devices.ts";
import { takePairingCode } from "../access/pairing.ts";
import type { LoginRequest, PairRequest } from "../api.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import type { Audit } from "./audit.ts";
import { HttpError } from "./http-error.ts";
import { emptySchema, loginSchema, pairSchema } from "./request-schemas.ts";
import { callerOf, nothing, type Route, type RouteRequest } from "./route.ts";

export interface SignInParts {
  home: Home;
  allowed: AllowedHosts;
  cookieName: string;
  isToken(text: string): boolean;
  audit: Audit;
  /** After a device was forgotten. */
  onForgotten(): void;
}

export function signInRoutes(parts: SignInParts): Route[] {
  return [
    { method: "POST", path: "/api/login", guard: "public", handle: (request) => login(parts, request) },
    { method: "POST", path: "/api/pair", guard: "public", handle: (request) => pair(parts, request) },
    { method: "POST", path: "/api/logout", guard: "device", handle: (request) => logout(parts, request) },
  ];
}

async function login(parts: SignInParts, request: RouteRequest): Promise<Response> {
  const { token }: LoginRequest = await request.body(loginSchema);
  const from = addressOf(request);
  if (!parts.isToken(token)) {
    parts.audit.refused(`login from ${from}: wrong token`);
    throw new HttpError(403, "the token is wrong", { next: "open the link that tempi web prints" });
  }
  const name = nameOfAgent(request.incoming.headers["user-agent"]);
  const { device, secret } = addDevice(parts.home, { name, kind: "token" });
  parts.audit.tell(`login from ${from}: device ${device.id}, ${name}`);
  return nothing(204, { "Set-Cookie": cookie(parts, request, secret, deviceLifeSeconds) });
}

async function pair(parts: SignInParts, request: RouteRequest): Promise<Response> {
  const { code }: PairRequest = await request.body(pairSchema);
  const from = addressOf(request);
  if (!takePairingCode(parts.home, code)) {
    parts.audit.refused(`pairing from ${from}: no valid code`);
    // One text for wrong, used and old: it helps nobody to guess.
    throw new HttpError(403, "the code is wrong, used or too old", { next: "tempi web --lan prints a new one" });
  }
  const name = `${nameOfAgent(request.incoming.headers["user-agent"])} (${from})`;
  const { device, secret } = addDevice(parts.home, { name, kind: "paired" });
  parts.audit.tell(`paired from ${from}: device ${device.id}, ${name}`);
  return nothing(204, { "Set-Cookie": cookie(parts, request, secret, deviceLifeSeconds) });
}

async function logout(parts: SignInParts, request: RouteRequest): Promise<Response> {
  await request.body(emptySchema);
  const { id } = callerOf(request);
  // The token itself is no device: there is nothing to forget.
  if (revokeDevice(parts.home, id)) {
    parts.audit.tell(`logout of device ${id}`);
    parts.onForgotten();
  }
  return nothing(204, { "Set-Cookie": cookie(parts, request, "", 0) });
}

/** Whether two secrets are the same, in a time that says nothing of where they differ. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function cookie({ cookieName, allowed }: SignInParts, { incoming }: RouteRequest, value: string, age: number): string {
  const { host, origin } = incoming.headers;
  const throughProxy = host?.toLowerCase() === allowed.publicHost || origin === allowed.publicOrigin;
  const secure = throughProxy && allowed.publicOrigin?.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

const addressOf = ({ incoming }: RouteRequest): string =>
  (incoming.socket.remoteAddress ?? "unknown").replace(/^::ffff:/, "");
