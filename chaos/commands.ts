import { readFileSync } from "node:fs";
import { processesMentioning } from "../src/server/process-identity.ts";
import type { World } from "./world.ts";

/** A command of a session that runs now. */
export interface RunningCommand {
  sessionId: string;
  /** Pid of the wrapper, which leads the command's process group. */
  wrapper: number;
  /** The command's own shell, while it lives. */
  shell?: number;
}

/** Found by the wrappers' arguments, which name the call's folder. */
export function runningCommands(world: World): RunningCommand[] {
  return processesMentioning(world.home.calls).flatMap(({ pid, arguments: words }) => {
    const record = words.find((word) => word.startsWith(world.home.calls) && word.endsWith("/pid"));
    const sessionId = record?.slice(world.home.calls.length + 1).split("/")[0];
    if (sessionId === undefined || groupOf(pid) !== pid) return [];
    const shell = processesOfGroup(pid).find((one) => one !== pid);
    return [{ sessionId, wrapper: pid, ...(shell === undefined ? {} : { shell }) }];
  });
}

const processesOfGroup = (group: number): number[] =>
  processesMentioning("").flatMap(({ pid }) => (groupOf(pid) === group ? [pid] : []));

function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
  } catch {
    return undefined;
  }
}
