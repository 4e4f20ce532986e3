import { ConfigError } from "../config/errors.ts";
import { type Config, configLines, knownKeys, unsetKeys } from "../config/load.ts";
import type { MachineContext } from "./machine-commands.ts";
import { loadCheckedConfig } from "./rules.ts";

/** `tempi config`: every key, its value and its origin. Keys of providers are only named in configuration: nothing is secret. */
export function configCommand(context: MachineContext, flags: { json?: boolean }): void {
  const config = load(context, flags);
  for (const warning of config.warnings) context.say(`warning: ${warning}`);
  const lines = configLines(config);
  const unset = unsetKeys(config);
  if (flags.json) {
    context.write(`${JSON.stringify({ file: config.file, values: lines, unset }, null, 2)}\n`);
    return;
  }
  const width = Math.max(...[...lines.map(({ key }) => key), ...unset].map((key) => key.length));
  for (const { key, value, origin } of lines) {
    context.write(`${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})\n`);
  }
  for (const key of unset) context.write(`${key.padEnd(width)}  (unset)\n`);
  context.write(`file: ${config.file}\n`);
}

/** Errors in the file send people here for the names of the keys: those are told even then. */
function load(context: MachineContext, flags: { json?: boolean }): Config {
  try {
    return loadCheckedConfig(context.home, { environment: context.environment });
  } catch (error) {
    if (error instanceof ConfigError && !flags.json) context.write(`known keys: ${knownKeys().join(", ")}\n`);
    throw error;
  }
}
