import { commandFiles, readExit, readIdentity, readIntent } from "./command-files.ts";
import { endGroup, groupMembers } from "./process-group.ts";

/** Between TERM and KILL, milliseconds. */
const graceMs = 1000;

/** The command that a call left running, seen by its folder alone; also its background children. */
export async function runningCommand(
  callFolder: string,
): Promise<{ pid: number; startedAt: number; finished: boolean } | undefined> {
  const files = commandFiles(callFolder);
  const identity = await readIdentity(files);
  if (!identity || (await groupMembers(identity)).length === 0) return undefined;
  const intent = await readIntent(files);
  return { pid: identity.pid, startedAt: intent?.startedAt ?? 0, finished: (await readExit(files)) !== undefined };
}

/** Stops all that a call's command left running: TERM, then KILL after a short grace. Nothing there is fine. */
export async function stopCommand(callFolder: string): Promise<void> {
  const identity = await readIdentity(commandFiles(callFolder));
  if (identity) await endGroup(identity, graceMs);
}
