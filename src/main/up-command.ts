import { UserError } from "../config/errors.ts";
import { providerEnvironment } from "../config/provider-environment.ts";
import { waitUntilReady } from "./background.ts";
import { askSupervisor, type ControlAnswer } from "./control-socket.ts";
import type { MachineContext, UpFlags } from "./machine-commands.ts";
import { ensureUp } from "./up.ts";
import { isReady, readUp, type UpState } from "./up-state.ts";

/** `tempi up`: in the foreground until it is told to stop, or with `--detach` in the background. */
export async function upCommand(context: MachineContext, flags: UpFlags): Promise<void> {
  const running = readUp(context.home);
  if (running || flags.detach) {
    const up = await ensureUp({
      home: context.home,
      onMessage: context.say,
      environment: context.environment,
      yes: flags.yes ?? false,
      ...(flags.idleExit === undefined ? {} : { idleExitMinutes: flags.idleExit }),
      ...(flags.temporalProfile === undefined ? {} : { profile: flags.temporalProfile }),
      ...(context.workerProgram === undefined ? {} : { workerProgram: context.workerProgram }),
    });
    if (!up.startedNow) {
      // Who asks for it by name wants it to stay, also when `run` had started it.
      const state = readUp(context.home);
      if (state && flags.idleExit === undefined) await askSupervisor(state, { cmd: "keep" });
      context.say(`already up (pid ${up.supervisorPid}); tempi down stops it`);
    }
    context.say(`Temporal ${up.address}${up.uiUrl ? `, UI ${up.uiUrl}` : ""}`);
    return;
  }
  await foreground(context, flags);
}

async function foreground(context: MachineContext, flags: UpFlags): Promise<void> {
  const { prepareUp, terminalQuestion } = await import("./prepare-up.ts");
  const { supervise } = await import("./supervisor.ts");
  const ask = terminalQuestion();
  const prepared = await prepareUp({
    home: context.home,
    environment: context.environment,
    onMessage: context.say,
    yes: flags.yes ?? false,
    ...(ask ? { ask } : {}),
    ...(flags.temporalProfile === undefined ? {} : { profile: flags.temporalProfile }),
  });
  const supervisor = await supervise({
    home: context.home,
    environment: context.environment,
    ...prepared,
    ...(flags.idleExit === undefined ? {} : { idleExitMinutes: flags.idleExit }),
    ...(context.workerProgram === undefined ? {} : { workerProgram: context.workerProgram }),
    onChange: narrator(context.say),
  });
  if (!supervisor) throw new UserError("another tempi up of this home has just started", { next: "tempi status" });
  let told = false;
  const stop = (): void => {
    told = true;
    context.say("stopping worker and server; sessions go on at the next start");
    void supervisor.stop();
  };
  // Once: a second Ctrl-C ends this process at once, and the next up adopts what is left.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  await supervisor.ended;
  if (!told) context.say("ended by tempi down or by another tempi");
  // A server that was adopted and left running is still being watched: that must not keep this process.
  process.exit(0);
}

/** Says each change of server and worker once. */
function narrator(say: (line: string) => void): (state: UpState) => void {
  const said = new Set<string>();
  const once = (line: string) => {
    if (said.has(line)) return;
    said.add(line);
    say(line);
  };
  let wasReady = false;
  return (state) => {
    for (const note of state.notes) once(note);
    for (const name of ["server", "worker"] as const) {
      const { restarts, lastError, state: now } = state[name];
      const why = lastError === undefined ? "" : `: ${lastError}`;
      if (now === "failed")
        once(`the ${name} died 3 times in a minute and is not started again${why}. Next: tempi restart`);
      else if (restarts > 0) once(`the ${name} died and is started again (${restarts})${why}`);
    }
    const ready = isReady(state);
    if (ready && !wasReady)
      say(`ready: Temporal ${state.address}${state.uiUrl ? `, UI ${state.uiUrl}` : ""}. Ctrl-C stops it`);
    wasReady = ready;
  };
}

/** `tempi restart`: server and worker anew, the worker with this terminal's provider variables. */
export async function restartCommand(context: MachineContext): Promise<void> {
  const state = readUp(context.home);
  if (!state) {
    await upCommand(context, { detach: true });
    return;
  }
  const environment = providerEnvironment(context.environment, Object.keys(state.variables));
  expectOk(await askSupervisor(state, { cmd: "restart-server" }, 30_000));
  expectOk(await askSupervisor(state, { cmd: "restart-worker", environment }, 60_000));
  const after = await waitUntilReady(context.home, {
    until: (now) =>
      now.worker.pid !== state.worker.pid && (now.server.state === "named" || now.server.pid !== state.server.pid),
  });
  context.say(`restarted: server pid ${after.server.pid ?? "elsewhere"}, worker pid ${after.worker.pid}`);
}

function expectOk(answer: ControlAnswer): void {
  if (!answer.ok)
    throw new UserError("error" in answer ? answer.error : "the worker is busy", { next: "tempi status" });
}
