import { closeSync, existsSync, openSync, readSync, watchFile } from "node:fs";
import { UsageError } from "../config/errors.ts";
import { type LogName, lastLines, logFileOf, sizeOf } from "./log-files.ts";
import type { MachineContext } from "./machine-commands.ts";

const names: readonly LogName[] = ["server", "worker", "web", "up"];

/** `tempi logs`: without name those of all processes, one after the other. */
export function logsCommand(
  context: MachineContext,
  name: string | undefined,
  flags: { follow?: boolean; lines: number },
): void {
  if (name !== undefined && !names.includes(name as LogName)) {
    throw new UsageError(`there is no log "${name}"`, `tempi logs ${names.join("|")}`);
  }
  const wanted = name === undefined ? names : [name as LogName];
  const files = wanted.map((one) => ({ name: one, path: logFileOf(context.home, one) }));
  const present = files.filter(({ path }) => existsSync(path));
  if (present.length === 0) context.say(`no log yet in ${context.home.logs}`);
  for (const file of present) {
    if (wanted.length > 1) context.write(`==> ${file.path} <==\n`);
    for (const line of lastLines(file.path, flags.lines)) context.write(`${line}\n`);
  }
  if (flags.follow) for (const { path } of files) follow(path, context.write);
}

/** Prints what is added; begins anew when the file was rotated. Runs until the process ends. */
function follow(path: string, write: (text: string) => void): void {
  let position = sizeOf(path);
  watchFile(path, { interval: 250 }, () => {
    const size = sizeOf(path);
    if (size < position) position = 0;
    if (size === position) return;
    const descriptor = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(size - position);
      position += readSync(descriptor, buffer, 0, buffer.length, position);
      write(buffer.toString("utf8"));
    } finally {
      closeSync(descriptor);
    }
  });
}
