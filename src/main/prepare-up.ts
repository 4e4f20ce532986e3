import { createInterface } from "node:readline/promises";
import { type Home, prepareHome } from "../config/home.ts";
import { configuredPath } from "../config/secrets.ts";
import { findOrDownloadCli } from "../server/find-cli.ts";
import type { TemporalTarget } from "../server/resolve-address.ts";
import { chooseTarget } from "./target.ts";

export interface PrepareOptions {
  home: Home;
  environment: NodeJS.ProcessEnv;
  /** Lines for stderr. */
  onMessage: (text: string) => void;
  /** Answers every question with yes. */
  yes: boolean;
  /** Asks the person; absent off a terminal. */
  ask?: (question: string) => Promise<boolean>;
  /** `--temporal-profile`. */
  profile?: string;
}

/** What a supervisor must be told. */
export interface Prepared {
  target: TemporalTarget;
  /** Path of the Temporal CLI; empty for a named server. */
  binary: string;
  /** Variables that configuration names as keys. */
  extraVariables: string[];
}

/** Everything that may ask or fail for a person to mend: before anything is started, where the terminal still is. */
export async function prepareUp(options: PrepareOptions): Promise<Prepared> {
  prepareHome(options.home);
  const { loadCheckedConfig } = await import("./rules.ts");
  const config = loadCheckedConfig(options.home, { environment: options.environment });
  for (const warning of config.warnings) options.onMessage(`warning: ${warning}`);
  const target = await chooseTarget({ ...options, config });
  const { providers = {}, models = {} } = config.values;
  const extraVariables = [...Object.values(providers), ...Object.values(models)].flatMap(({ key }) =>
    key && "env" in key ? [key.env] : [],
  );
  if (target.kind === "named") return { target, binary: "", extraVariables };
  const configured = config.values.server?.binary;
  const cli = await findOrDownloadCli({
    ...(configured === undefined ? {} : { configured: configuredPath(configured, options.home.configFile) }),
    environment: options.environment,
    cache: options.home.cache,
    say: options.onMessage,
    yes: options.yes,
    ...(options.ask ? { ask: options.ask } : {}),
  });
  return { target, binary: cli.path, extraVariables };
}

/** Asks on the terminal; undefined where there is none. Only "y" and "yes" agree. */
export function terminalQuestion(): ((question: string) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
    } finally {
      lines.close();
    }
  };
}
