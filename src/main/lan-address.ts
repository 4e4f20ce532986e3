import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { UsageError } from "../config/errors.ts";

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Private networks of RFC 1918. */
const privateAddress = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/;

/** IPv4 addresses of this machine that other machines may reach, with the name of their interface. */
function outsideAddresses(interfaces: Interfaces): { address: string; name: string }[] {
  return Object.entries(interfaces).flatMap(([name, infos]) =>
    (infos ?? []).flatMap(({ family, internal, address }) =>
      family === "IPv4" && !internal ? [{ address, name }] : [],
    ),
  );
}

/** Whether this machine has the address now; a notebook loses that of the office. All of 127.0.0.0/8 is always there. */
export const isOwnAddress = (address: string, interfaces: Interfaces = networkInterfaces()): boolean =>
  /^127(\.\d{1,3}){3}$/.test(address) || outsideAddresses(interfaces).some((one) => one.address === address);

/**
 * The address for `tempi web --lan`: the one that was named, else the only private IPv4 address of this machine.
 * @throws UsageError with the addresses there are
 */
export function chooseLanAddress(named: string | undefined, interfaces: Interfaces = networkInterfaces()): string {
  if (named !== undefined) {
    if (isOwnAddress(named, interfaces)) return named;
    throw new UsageError(`${JSON.stringify(named)} is no IPv4 address of this machine`, commands(interfaces));
  }
  const found = outsideAddresses(interfaces).filter(({ address }) => privateAddress.test(address));
  if (found.length === 1) return found[0]!.address;
  if (found.length === 0) {
    throw new UsageError("this machine has no address in a private IPv4 network", commands(interfaces));
  }
  throw new UsageError(`this machine has ${found.length} addresses in private networks`, commands(interfaces));
}

/** A command for each address, or what to do where there is none. */
function commands(interfaces: Interfaces): string {
  const all = outsideAddresses(interfaces);
  if (all.length === 0) return "connect it to a network, or tempi web for this machine alone";
  return all.map(({ address, name }) => `tempi web --lan ${address} (${name})`).join(", or ");
}
