import type { ConnectionOptions } from "@temporalio/client";
import { loadClientConfigProfile, toClientOptions } from "@temporalio/envconfig";
import { ServerError } from "./errors.ts";

/** Which Temporal server to use: this home's own, or one that somebody named. */
export type TemporalTarget =
  | { kind: "own" }
  | {
      kind: "named";
      /** Name of the profile; `env` = the TEMPORAL_* variables; undefined = address in config.toml. */
      profile?: string;
      address: string;
      namespace: string;
      connection: ConnectionOptions;
      /** Whether it is on this machine: others are confirmed at first use. */
      loopback: boolean;
    };

export interface ResolveAddressOptions {
  /** `--temporal-profile`, else `server.temporal_profile` of the configuration. */
  profile?: string;
  /** `server.address` and `server.namespace` of the configuration. */
  address?: string;
  namespace?: string;
  environment: NodeJS.ProcessEnv;
}

/**
 * Resolves the Temporal address. Only what was named counts: TEMPORAL_ADDRESS or a default profile alone is often a company's
 * cluster, and a session stores source code in clear. Throws ServerError (exit 2).
 */
export function resolveAddress(options: ResolveAddressOptions): TemporalTarget {
  if (options.profile === undefined) {
    if (options.address === undefined) return { kind: "own" };
    return named(undefined, options.address, options.namespace, { address: options.address });
  }
  const { profile } = options;
  try {
    const environment = Object.fromEntries(
      Object.entries(options.environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const loaded = loadClientConfigProfile(
      profile === "env"
        ? { disableFile: true, overrideEnvVars: environment }
        : { profile, disableEnv: true, overrideEnvVars: environment },
    );
    const { connectionOptions, namespace } = toClientOptions(loaded);
    const { address, apiKey, tls, metadata } = connectionOptions;
    if (!address) throw new Error(profile === "env" ? "TEMPORAL_ADDRESS is not set" : "it has no address");
    return named(profile, address, namespace, {
      address,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(tls === undefined ? {} : { tls }),
      ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
    });
  } catch (error) {
    throw new ServerError(`the Temporal profile "${profile}" cannot be used: ${(error as Error).message}`, {
      exitCode: 2,
      next: profile === "env" ? "export TEMPORAL_ADDRESS=HOST:PORT" : "temporal config list",
      cause: error,
    });
  }
}

function named(
  profile: string | undefined,
  address: string,
  namespace: string | undefined,
  connection: ConnectionOptions,
): TemporalTarget {
  const host = address.replace(/:\d+$/, "").toLowerCase();
  const loopback = host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
  return {
    kind: "named",
    ...(profile === undefined ? {} : { profile }),
    address,
    namespace: namespace ?? "default",
    connection,
    loopback,
  };
}
