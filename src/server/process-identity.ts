import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that is still the same one: pids are reused, pid and start time together are not. */
export interface ProcessIdentity {
  pid: number;
  /** Start time as the system tells it, with the boot it belongs to; only compared, never parsed. */
  start: string;
}

/** Start time of a living process, or undefined when there is none (a zombie counts as dead). */
function startTimeOf(pid: number): string | undefined {
  if (process.platform !== "linux") return startTimeByPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold blanks and parentheses: count fields after the last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : `${bootId()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Identity of a living process; undefined when it is gone. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const start = startTimeOf(pid);
  return start === undefined ? undefined : { pid, start };
}

/** Whether exactly this process still lives. */
export const isAlive = (identity: Partial<ProcessIdentity> | undefined): identity is ProcessIdentity =>
  identity?.pid !== undefined && identity.start !== undefined && startTimeOf(identity.pid) === identity.start;

/** Sends a signal to exactly this process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

/** Waits until a process that is not our child is gone, by asking every 50 ms; false after `timeoutMs`. */
export async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() >= until) return false;
    await sleep(50);
  }
  return true;
}

/** SIGTERM, `graceMs` to obey, then SIGKILL. Resolves when the process is gone. */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  if (!signalProcess(identity, "SIGTERM")) return;
  if (await waitForExit(identity, graceMs)) return;
  signalProcess(identity, "SIGKILL");
  await waitForExit(identity, 5_000);
}

/** Argument lists of this machine's processes that mention `text`. */
export function processesMentioning(text: string): { pid: number; arguments: string[] }[] {
  if (process.platform !== "linux") {
    const lines = execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n");
    return lines
      .filter((line) => line.includes(text))
      .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
      .flatMap((match) => (match ? [{ pid: Number(match[1]), arguments: match[2]!.split(" ") }] : []));
  }
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return line.includes(text) ? [{ pid: Number(name), arguments: line.split("\0").slice(0, -1) }] : [];
    } catch {
      return [];
    }
  });
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
  return boot;
}

function startTimeByPs(pid: number): string | undefined {
  try {
    const [state, ...start] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return state === undefined || state === "" || state.startsWith("Z") ? undefined : start.join(" ");
  } catch {
    return undefined;
  }
}
