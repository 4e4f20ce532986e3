import { mkdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { webTokenOf } from "../../../src/config/home.ts";
import { nameOfAgent } from "../../../src/web/access/device-name.ts";
import { addDevice, DeviceBook, listDevices, revokeAllDevices, revokeDevice } from "../../../src/web/access/devices.ts";
import { makePairingCode, takePairingCode } from "../../../src/web/access/pairing.ts";
import { testHome } from "../../support/web-client.ts";

const day = 24 * 60 * 60_000;

it("makes the token once, readable by the user only", () => {
  const home = testHome();
  const token = webTokenOf(home);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(webTokenOf(home)).toBe(token);
  expect(statSync(join(home.root, "web.token")).mode & 0o777).toBe(0o600);
});

describe("a pairing code", () => {
  it("counts once, for 5 minutes", () => {
    const home = testHome();
    const { code, expiresAt } = makePairingCode(home, 1_000);
    expect(code).toMatch(/^[2-9a-z]{14}$/);
    expect(expiresAt).toBe(301_000);
    expect(readFileSync(join(home.run, "web-pairing.json"), "utf8")).not.toContain(code);
    expect(takePairingCode(home, "wrong", 2_000)).toBe(false);
    expect(takePairingCode(home, code, 300_999)).toBe(true);
    expect(takePairingCode(home, code, 300_999)).toBe(false);
    const late = makePairingCode(home, 1_000);
    expect(takePairingCode(home, late.code, 301_000)).toBe(false);
  });

  it("is void when a new one is made, or after ten wrong tries", () => {
    const home = testHome();
    const first = makePairingCode(home);
    const second = makePairingCode(home);
    expect(takePairingCode(home, first.code)).toBe(false);
    for (let at = 0; at < 8; at++) takePairingCode(home, "wrong");
    expect(takePairingCode(home, second.code)).toBe(true);
    const third = makePairingCode(home);
    for (let at = 0; at < 10; at++) takePairingCode(home, "wrong");
    expect(takePairingCode(home, third.code)).toBe(false);
  });
});

describe("devices", () => {
  it("are found by the secret alone, which is stored nowhere", () => {
    const home = testHome();
    const { device, secret } = addDevice(home, { name: "Firefox on Linux", kind: "token" });
    const file = join(home.root, "web-devices.json");
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const book = new DeviceBook(home);
    expect(book.find(secret)).toEqual(device);
    expect(book.find("other")).toBeUndefined();
    expect(device.lastSeenAt % 60_000).toBe(0);
    expect(device.expiresAt - device.createdAt).toBe(90 * day);
    expect(book.find(secret, device.expiresAt)).toBeUndefined();
  });

  it("are revoked by another process at once", () => {
    const home = testHome();
    const book = new DeviceBook(home);
    const first = addDevice(home, { name: "a", kind: "token" }, Date.now() - 5);
    const second = addDevice(home, { name: "b", kind: "paired" });
    expect(listDevices(home).map(({ name }) => name)).toEqual(["b", "a"]);
    expect(book.find(first.secret)).toBeDefined();
    expect(revokeDevice(home, first.device.id)).toBe(true);
    expect(revokeDevice(home, first.device.id)).toBe(false);
    expect(book.find(first.secret)).toBeUndefined();
    expect(book.isKnown(second.device.id)).toBe(true);
    expect(revokeAllDevices(home)).toBe(1);
    expect(book.isKnown(second.device.id)).toBe(false);
  });

  it("say when they were last seen, seldom written", () => {
    const home = testHome();
    const { device, secret } = addDevice(home, { name: "a", kind: "token" });
    const book = new DeviceBook(home);
    book.find(secret, device.createdAt + 60_000);
    expect(listDevices(home)[0]!.lastSeenAt).toBe(device.lastSeenAt);
    book.find(secret, device.createdAt + 20 * 60_000);
    expect(listDevices(home)[0]!.lastSeenAt).toBe(device.lastSeenAt + 20 * 60_000);
  });

  it("get by a lock whose holder died, and by a file that is not ours", () => {
    const home = testHome();
    const lock = join(home.root, "web-devices.json.lock");
    writeFileSync(lock, "");
    utimesSync(lock, new Date(0), new Date(0));
    addDevice(home, { name: "a", kind: "token" });
    writeFileSync(join(home.root, "web-devices.json"), '{"v":2}');
    expect(listDevices(home)).toEqual([]);
    expect(() => {
      mkdirSync(lock);
      rmdirSync(lock);
    }).not.toThrow();
  });
});

it.each([
  ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    "Chrome on Linux",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 Edg/156.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  ["<script>alert(1)</script>\u001b[2J", "a browser"],
  [undefined, "a browser"],
])("names %s", (agent, name) => {
  expect(nameOfAgent(agent)).toBe(name);
});
