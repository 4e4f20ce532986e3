import { hostname } from "node:os";

/** Under which names this server may be spoken to. Compared whole, never by beginning or end. */
export interface AllowedHosts {
  /** `host:port` as a browser sends it. */
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
  /** The part of `hosts` that names this machine to itself. */
  loopback: ReadonlySet<string>;
  /** Of the proxy in front. */
  publicHost?: string;
  publicOrigin?: string;
}

export function allowedHosts(options: { port: number; lan?: string; publicUrl?: string }): AllowedHosts {
  const { port, lan, publicUrl } = options;
  const own = (name: string) => new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`);
  const loopback = ["127.0.0.1", "localhost", "::1"].map(own);
  const near = lan === undefined ? [] : [lan, `${hostname().split(".")[0]!.toLowerCase()}.local`].map(own);
  const front = publicUrl === undefined ? undefined : new URL(publicUrl);
  const all = [...loopback, ...near, ...(front ? [front] : [])];
  return {
    hosts: new Set(all.map(({ host }) => host)),
    origins: new Set(all.map(({ origin }) => origin)),
    loopback: new Set(loopback.map(({ host }) => host)),
    ...(front ? { publicHost: front.host, publicOrigin: front.origin } : {}),
  };
}
