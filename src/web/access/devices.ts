import { createHash, randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Home } from "../../config/home.ts";
import { replaceFile, withFileLock } from "./locked-file.ts";

const lifeMs = 90 * 24 * 60 * 60_000;
export const deviceLifeSeconds = lifeMs / 1000;
const minuteMs = 60_000;
/** When it was seen is written this seldom. */
const seenEveryMs = 10 * minuteMs;
/** The least lately seen go first. */
const devicesAtMost = 200;

const DeviceSchema = Type.Object({
  id: Type.String(),
  /** Such as "Firefox on Android (192.168.1.20)". */
  name: Type.String(),
  /** `token`: came with the link of this machine; `paired`: with a code. */
  kind: Type.Union([Type.Literal("token"), Type.Literal("paired")]),
  /** Of the cookie's secret. */
  sha256: Type.String(),
  createdAt: Type.Number(),
  lastSeenAt: Type.Number(),
  expiresAt: Type.Number(),
});
const FileSchema = Type.Object({ v: Type.Literal(1), devices: Type.Array(DeviceSchema) });

/** A browser that may use the page. Times are milliseconds since 1970; `lastSeenAt` is rounded to the minute. */
export type WebDevice = Static<typeof DeviceSchema>;

const fileOf = (home: Home): string => join(home.root, "web-devices.json");

/** Devices whose time is not over, newest first. */
export const listDevices = (home: Home, now = Date.now()): WebDevice[] =>
  read(fileOf(home), now).sort((a, b) => b.createdAt - a.createdAt);

/** Forgets the device with this id. False: there is none. A running server notices within a second. */
export const revokeDevice = (home: Home, id: string): boolean =>
  change(home, (devices) => devices.filter((device) => device.id !== id));

/** Forgets all devices; how many there were. */
export function revokeAllDevices(home: Home): number {
  const before = listDevices(home).length;
  change(home, () => []);
  return before;
}

/** Adds a device; `secret` is what its cookie holds, and is stored nowhere. */
export function addDevice(
  home: Home,
  { name, kind }: Pick<WebDevice, "name" | "kind">,
  now = Date.now(),
): { device: WebDevice; secret: string } {
  const secret = randomBytes(32).toString("base64url");
  const seen = minute(now);
  const device: WebDevice = {
    id: randomBytes(4).toString("hex"),
    name,
    kind,
    sha256: digestOf(secret),
    createdAt: now,
    lastSeenAt: seen,
    expiresAt: now + lifeMs,
  };
  change(home, (devices) => [
    device,
    ...devices.sort((a, b) => b.lastSeenAt - a.lastSeenAt).slice(0, devicesAtMost - 1),
  ]);
  return { device, secret };
}

/** The devices as a server looks them up at each request: read anew only when the file changed. */
export class DeviceBook {
  readonly #home: Home;
  #version = "";
  #devices = new Map<string, WebDevice>();

  constructor(home: Home) {
    this.#home = home;
  }

  /** The device whose cookie holds this secret. */
  find(secret: string, now = Date.now()): WebDevice | undefined {
    this.#refresh(now);
    const device = this.#devices.get(digestOf(secret));
    if (!device || device.expiresAt <= now) return undefined;
    if (now - device.lastSeenAt > seenEveryMs) this.#seen(device, now);
    return device;
  }

  isKnown(id: string, now = Date.now()): boolean {
    this.#refresh(now);
    return [...this.#devices.values()].some((device) => device.id === id && device.expiresAt > now);
  }

  #refresh(now: number): void {
    const version = versionOf(fileOf(this.#home));
    if (version === this.#version) return;
    this.#version = version;
    this.#devices = new Map(read(fileOf(this.#home), now).map((device) => [device.sha256, device]));
  }

  #seen({ id }: WebDevice, now: number): void {
    try {
      change(this.#home, (devices) =>
        devices.map((device) => (device.id === id ? { ...device, lastSeenAt: minute(now) } : device)),
      );
    } catch {
      // A full disk or a held lock is no reason to refuse who is signed in.
    }
  }
}

const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
const minute = (time: number): number => Math.floor(time / minuteMs) * minuteMs;

function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : "";
}

/** True when there are fewer or more than before. */
function change(home: Home, edit: (devices: WebDevice[]) => WebDevice[]): boolean {
  const file = fileOf(home);
  return withFileLock(file, () => {
    const before = read(file, Date.now());
    const count = before.length;
    const after = edit(before);
    replaceFile(file, `${JSON.stringify({ v: 1, devices: after }, undefined, 2)}\n`);
    return after.length !== count;
  });
}

/** None where the file is missing or is not ours: then everybody signs in anew. */
function read(file: string, now: number): WebDevice[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Value.Check(FileSchema, value) ? value.devices.filter(({ expiresAt }) => expiresAt > now) : [];
  } catch {
    return [];
  }
}
