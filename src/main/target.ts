import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import type { Config } from "../config/load.ts";
import { checkTemporal } from "../server/check-temporal.ts";
import { readJsonFile, writeJsonFile } from "../server/json-file.ts";
import { resolveAddress, type TemporalTarget } from "../server/resolve-address.ts";

export interface TargetOptions {
  home: Home;
  config: Config;
  /** `--temporal-profile`. */
  profile?: string;
  environment: NodeJS.ProcessEnv;
  yes: boolean;
  ask?: (question: string) => Promise<boolean>;
  onMessage: (text: string) => void;
}

/**
 * The Temporal server that this command means, checked and, when it is not on this machine, confirmed once per address.
 * Throws UserError or ServerError.
 */
export async function chooseTarget(options: TargetOptions): Promise<TemporalTarget> {
  const { server } = options.config.values;
  const profile = options.profile ?? server?.temporal_profile;
  const target = resolveAddress({
    ...(profile === undefined ? {} : { profile }),
    ...(server?.address === undefined ? {} : { address: server.address }),
    ...(server?.namespace === undefined ? {} : { namespace: server.namespace }),
    environment: options.environment,
  });
  if (target.kind === "own") {
    sayAmbientAddress(options);
    return target;
  }
  if (!target.loopback) await confirm(options, target.address);
  const wrong = await checkTemporal(target.connection, target.namespace);
  if (wrong) throw wrong;
  return target;
}

/** Said once per home: an address in the environment is not followed, and how to follow it. */
function sayAmbientAddress({ environment, home, onMessage }: TargetOptions): void {
  const marker = join(home.root, "said-temporal-address");
  if (!environment.TEMPORAL_ADDRESS || existsSync(marker)) return;
  writeFileSync(marker, "", { mode: 0o600 });
  onMessage(
    "TEMPORAL_ADDRESS is set but not used: sessions store source code. To use it: tempi up --temporal-profile env",
  );
}

async function confirm(options: TargetOptions, address: string): Promise<void> {
  const file = join(options.home.root, "confirmed-addresses.json");
  const confirmed = readJsonFile<string[]>(file) ?? [];
  if (confirmed.includes(address)) return;
  const question = `Sessions will be stored on ${address}, prompts, answers and source code in clear. Go on?`;
  if (!options.yes && !(await options.ask?.(question))) {
    throw new UserError(`the Temporal server ${address} is not on this machine and was not confirmed yet`, {
      exitCode: 2,
      next: "tempi up --yes (sessions store source code there)",
    });
  }
  writeJsonFile(file, [...confirmed, address]);
}
