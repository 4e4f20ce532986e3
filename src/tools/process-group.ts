import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Tells one process from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Linux: clock ticks since boot (field 22 of /proc/PID/stat). macOS: text of `ps -o lstart=`. */
  startTime: string;
  /** Linux only; numbers and ticks may repeat after a reboot. */
  bootId: string;
}

const isLinux = process.platform === "linux";
const run = promisify(execFile);

/** Whether the very process that `identity` names is alive; a zombie is not. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (isLinux) {
    const stat = await readStat(identity.pid);
    if (!stat || stat.dead || stat.startTime !== identity.startTime) return false;
    return identity.bootId === "" || identity.bootId === (await bootId());
  }
  if (!exists(identity.pid)) return false;
  const { stdout } = await run("ps", ["-o", "stat=,lstart=", "-p", `${identity.pid}`]).catch(() => ({ stdout: "" }));
  const [state = "", ...started] = stdout.trim().split(/\s+/);
  return state !== "" && !state.startsWith("Z") && started.join(" ") === identity.startTime.split(/\s+/).join(" ");
}

/** A group's leader; with the identity nothing but its own group is found, however old the record is. */
export type GroupLeader = { pid: number } & Partial<ProcessIdentity>;

/** Living processes of the group and session that `leader` began, without zombies. The leader itself may be dead. */
export async function groupMembers(leader: GroupLeader): Promise<number[]> {
  if (!isLinux) return await groupMembersByPs(leader);
  if (leader.bootId && leader.bootId !== (await bootId())) return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  // One small read for each process; this runs only while a command is being ended or its wrapper is gone.
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await readStat(pid) })));
  const taken = stats.some(({ pid, stat }) => pid === leader.pid && stat && isOther(stat.startTime, leader));
  if (taken) return [];
  return stats
    .filter(({ stat }) => stat && !stat.dead && (stat.group === leader.pid || stat.session === leader.pid))
    .map(({ pid }) => pid);
}

async function groupMembersByPs(leader: GroupLeader): Promise<number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,pgid=,stat=,lstart="]).catch(() => ({ stdout: "" }));
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  const taken = rows.some(([pid, , , ...started]) => pid === `${leader.pid}` && isOther(started.join(" "), leader));
  if (taken) return [];
  return rows
    .filter(([, group, state]) => group === `${leader.pid}` && state !== undefined && !state.startsWith("Z"))
    .map(([pid]) => Number(pid));
}

const isOther = (startTime: string, leader: GroupLeader): boolean =>
  leader.startTime !== undefined && leader.startTime.split(/\s+/).join(" ") !== startTime;

/** TERM to every process of the group and its session, KILL to what is left after `graceMs`. Nothing left is fine. */
export async function endGroup(leader: GroupLeader, graceMs: number): Promise<void> {
  for (const pid of await groupMembers(leader)) signal(pid, "SIGTERM");
  const end = performance.now() + graceMs;
  while (performance.now() < end && (await groupMembers(leader)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await killGroup(leader);
}

/** Kills the group and every process of its session, until none is left or `waitMs` is over. */
export async function killGroup(leader: GroupLeader, waitMs = 2000): Promise<void> {
  const end = performance.now() + waitMs;
  for (;;) {
    const members = await groupMembers(leader);
    if (members.length === 0) return;
    // The group at once, so that no member sees another die; then jobs, which have groups of their own in the session.
    signal(-leader.pid, "SIGKILL");
    for (const pid of members) signal(pid, "SIGKILL");
    if (performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readStat(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    dead: fields[0] === "Z" || fields[0] === "X",
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? "",
  };
}

const bootId = async (): Promise<string> =>
  (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
