import { readFileSync } from "node:fs";
import type { Home } from "../src/config/home.ts";
import { processesMentioning } from "../src/server/process-identity.ts";

/** A command of a session that runs now. */
export interface RunningCommand {
  sessionId: string;
  /** Pid of the wrapper, which leads the command's process group. */
  wrapper: number;
  /** The command's own shell, while it lives. */
  shell?: number;
}

/** Found by the wrappers' arguments, which name the call's folder. */
export function runningCommands({ calls }: Home): RunningCommand[] {
  return processesMentioning(calls).flatMap(({ pid, arguments: words }) => {
    const record = words.find((word) => word.startsWith(calls) && word.endsWith("/pid"));
    const sessionId = record?.slice(calls.length + 1).split("/")[0];
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
