import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { chooseLanAddress, isOwnAddress } from "../../src/main/lan-address.ts";

const at = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  netmask: "255.255.255.0",
  family: "IPv4",
  mac: "00:00:00:00:00:00",
  internal,
  cidr: `${address}/24`,
});
const loopback = { lo: [at("127.0.0.1", true)] };
const errorOf = (run: () => unknown) => {
  try {
    return run();
  } catch (error) {
    const { message, next } = error as Error & { next?: string };
    return `${message}. Next: ${next}`;
  }
};

test("the only private address is taken; public ones never by themselves", () => {
  const one = { ...loopback, wlan0: [at("192.168.1.20")], eth0: [at("198.51.100.7")] };
  expect(chooseLanAddress(undefined, one)).toBe("192.168.1.20");
  expect(chooseLanAddress("198.51.100.7", one)).toBe("198.51.100.7");
  for (const address of ["10.0.0.5", "172.16.0.1", "172.31.9.9"]) {
    expect(chooseLanAddress(undefined, { x: [at(address)] })).toBe(address);
  }
});

test("several, none and foreign ones are errors with a command for each address", () => {
  const two = { ...loopback, wlan0: [at("192.168.1.20")], docker0: [at("172.17.0.1")] };
  const commands = "tempi web --lan 192.168.1.20 (wlan0), or tempi web --lan 172.17.0.1 (docker0)";
  expect(errorOf(() => chooseLanAddress(undefined, two))).toBe(
    `this machine has 2 addresses in private networks. Next: ${commands}`,
  );
  expect(errorOf(() => chooseLanAddress("192.168.1.99", two))).toContain(commands);
  for (const all of ["0.0.0.0", "::", "localhost"]) {
    expect(errorOf(() => chooseLanAddress(all, two))).toMatch(/is no IPv4 address of this machine/);
  }
  expect(errorOf(() => chooseLanAddress(undefined, { eth0: [at("172.32.0.1")] }))).toMatch(/no address in a private/);
  expect(errorOf(() => chooseLanAddress(undefined, loopback))).toMatch(/Next: connect it to a network/);
  expect(isOwnAddress("192.168.1.20", two)).toBe(true);
  expect(isOwnAddress("192.168.1.20", loopback)).toBe(false);
});
