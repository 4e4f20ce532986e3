import { setTimeout as sleep } from "node:timers/promises";
import type { ChildState } from "../../src/main/up-state.ts";
import { isAlive, signalProcess, waitForExit } from "../../src/server/process-identity.ts";
import { runningCommands } from "../commands.ts";
import { patiently } from "../patiently.ts";
import type { Fault, Struck, Victims } from "./fault.ts";

/** Who was touched is asked first: after the signal nobody knows. */
function strike(victims: Victims, child: ChildState | undefined, signal: NodeJS.Signals): Struck {
  const hit = victims.underWay();
  const sent = isAlive(child) && signalProcess(child, signal);
  return { at: Date.now(), hit: sent ? hit : [] };
}

/** F01. */
export const killWorker: Fault = async (victims) => strike(victims, victims.world.state()?.worker, "SIGKILL");

/** F04: the server's database is a file. */
export const killServer: Fault = async (victims) => strike(victims, victims.world.state()?.server, "SIGKILL");

/** F08: as a deploy does it. */
export const terminateWorker: Fault = async (victims) => strike(victims, victims.world.state()?.worker, "SIGTERM");

/** F07 in its short form: the engine may have given the work to another attempt before the sleeper wakes. */
export const pauseWorker: Fault = async (victims) => {
  const worker = victims.world.state()?.worker;
  const ms = victims.random.chance(0.25)
    ? victims.random.between(10_500, 12_000)
    : victims.random.between(1_000, 4_000);
  const struck = strike(victims, worker, "SIGSTOP");
  await sleep(ms);
  if (isAlive(worker)) signalProcess(worker, "SIGCONT");
  return { ...struck, liftedAt: Date.now() };
};

/** The supervisor dies, its children live on; `tempi up` takes them over. */
export const killSupervisor: Fault = async (victims) => {
  const state = victims.world.state();
  const hit = victims.underWay();
  if (!state || !signalProcess(state, "SIGKILL")) return { at: Date.now(), hit: [] };
  const at = Date.now();
  await waitForExit(state, 5_000);
  await patiently(() => victims.world.up());
  return { at, hit };
};

/** F06: worker, server, supervisor and all commands at once, as when the machine loses its power. */
export const killAll: Fault = async (victims) => {
  const state = victims.world.state();
  const hit = victims.underWay();
  const commands = runningCommands(victims.world.home);
  if (state) for (const one of [state, state.worker, state.server]) if (isAlive(one)) signalProcess(one, "SIGKILL");
  for (const { wrapper } of commands) killGroup(wrapper);
  const at = Date.now();
  if (state) await waitForExit(state, 5_000);
  await patiently(() => victims.world.up());
  return { at, hit };
};

/** F05: the whole process group of a command, its wrapper alone, or its shell alone. */
export const killCommand: Fault = async ({ world, random }) => {
  const commands = runningCommands(world.home);
  if (commands.length === 0) return { at: Date.now(), hit: [] };
  const { sessionId, wrapper, shell } = random.pick(commands);
  const whom = random.pick(["group", "wrapper", "shell"] as const);
  const killed =
    whom === "group" ? killGroup(wrapper) : kill(whom === "shell" && shell !== undefined ? shell : wrapper);
  return { at: Date.now(), hit: killed ? [sessionId] : [] };
};

const killGroup = (leader: number): boolean => kill(-leader);

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It ended in this moment.
    return false;
  }
}
