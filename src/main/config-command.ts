import { configLines, loadConfig } from "../config/load.ts";
import type { MachineContext } from "./machine-commands.ts";

/** `tempi config`: every value with its origin. Keys are only named in configuration, so nothing here is secret. */
export function configCommand(context: MachineContext, flags: { json?: boolean }): void {
  const config = loadConfig(context.home, { environment: context.environment });
  for (const warning of config.warnings) context.say(`warning: ${warning}`);
  const lines = configLines(config);
  if (flags.json) {
    context.write(`${JSON.stringify({ file: config.file, values: lines }, null, 2)}\n`);
    return;
  }
  const width = Math.max(...lines.map(({ key }) => key.length));
  for (const { key, value, origin } of lines) {
    context.write(`${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})\n`);
  }
  context.write(`file: ${config.file}\n`);
}
