import { rmSync } from "node:fs";
import { webFileOf, workerFileOf } from "../config/home.ts";
import { endProcess, isAlive, type ProcessIdentity, signalProcess, waitForExit } from "../server/process-identity.ts";
import { findRunningServers } from "../server/start-dev.ts";
import { askSupervisor } from "./control-socket.ts";
import type { MachineContext } from "./machine-commands.ts";
import { stopRunningCommands } from "./running-commands.ts";
import { readUp, readUpFile, type UpState, upFileOf } from "./up-state.ts";

/** Milliseconds for worker (20 s) and server (10 s) to end in order. */
const stopMs = 35_000;

/** `tempi down`: names what runs and stops it. Says so when nothing does. */
export async function downCommand(context: MachineContext): Promise<void> {
  const state = readUp(context.home);
  const left = state ? [] : leftovers(context);
  if (!state && left.length === 0) {
    const orphans = await stopRunningCommands(context.home);
    context.say(orphans.length > 0 ? `commands of sessions stopped: ${orphans.join(", ")}` : "nothing runs");
    return;
  }
  if (state) {
    context.say(`stopping ${namesOf(state)} ...`);
    await stopSupervisor(state);
  } else {
    context.say(`stopping ${left.map((one) => one.name).join(", ")}, left by a supervisor that was killed ...`);
    for (const one of left) await endProcess(one.identity, one.graceMs);
    for (const file of [workerFileOf(context.home), webFileOf(context.home)]) rmSync(file, { force: true });
  }
  rmSync(upFileOf(context.home), { force: true });
  context.say("stopped; sessions are kept and go on at the next tempi up");
  const commands = await stopRunningCommands(context.home);
  if (commands.length > 0) context.say(`commands of sessions stopped: ${commands.join(", ")}`);
}

async function stopSupervisor(state: UpState): Promise<void> {
  await askSupervisor(state, { cmd: "stop" }).catch(() => signalProcess(state, "SIGTERM"));
  if (await waitForExit(state, stopMs)) return;
  for (const one of [state.worker, state.web, state.server, state]) if (isAlive(one)) await endProcess(one, 0);
}

function namesOf(state: UpState): string {
  const names = (["worker", "web", "server"] as const).flatMap((name) =>
    isAlive(state[name]) ? [`${childNames[name]} (pid ${state[name].pid})`] : [],
  );
  return names.length > 0 ? names.join(", ").replace(/, (?=[^,]*$)/, " and ") : `the supervisor (pid ${state.pid})`;
}

const childNames = { worker: "worker", web: "web page", server: "Temporal server" } as const;

/** Children that outlived their supervisor, the worker first. */
function leftovers(context: MachineContext): { name: string; identity: ProcessIdentity; graceMs: number }[] {
  const { worker, web } = readUpFile(context.home) ?? {};
  return [
    ...(isAlive(worker) ? [{ name: `worker (pid ${worker.pid})`, identity: worker, graceMs: 20_000 }] : []),
    ...(isAlive(web) ? [{ name: `web page (pid ${web.pid})`, identity: web, graceMs: 4_000 }] : []),
    ...findRunningServers(context.home.databaseFile).map(({ identity }) => ({
      name: `Temporal server (pid ${identity.pid})`,
      identity,
      graceMs: 10_000,
    })),
  ];
}
