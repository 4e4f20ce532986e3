import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../config/home.ts";
import { runningCommand, stopCommand } from "../tools/command-control.ts";

/** Commands of sessions that still run, worker or not. `name` is `<session> <call> (pid N)`. */
export async function runningCommands(home: Home): Promise<{ name: string; folder: string }[]> {
  const found: { name: string; folder: string }[] = [];
  for (const sessionId of foldersIn(home.calls)) {
    for (const run of foldersIn(join(home.calls, sessionId))) {
      for (const callId of foldersIn(join(home.calls, sessionId, run))) {
        const folder = join(home.calls, sessionId, run, callId);
        if (!existsSync(join(folder, "pid"))) continue;
        const command = await runningCommand(folder);
        if (command) found.push({ name: `${sessionId} ${callId} (pid ${command.pid})`, folder });
      }
    }
  }
  return found;
}

/** Stops them all and returns their names. Their sessions learn that they were interrupted. */
export async function stopRunningCommands(home: Home): Promise<string[]> {
  const commands = await runningCommands(home);
  await Promise.all(commands.map(({ folder }) => stopCommand(folder)));
  return commands.map(({ name }) => name);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
