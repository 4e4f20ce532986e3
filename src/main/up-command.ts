import { UserError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import { providerEnvironment } from "../config/provider-environment.ts";
import { waitUntilReady } from "./background.ts";
import { askSupervisor, type ControlAnswer } from "./control-socket.ts";
import type { MachineContext, UpFlags } from "./machine-commands.ts";
import { untilChanged } from "./until-changed.ts";
import { ensureUp } from "./up.ts";
import { isReady, readUp, type UpState, webIsReady } from "./up-state.ts";

const webPatienceMs = 10_000;

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
    const settled = await webSettled(context.home);
    if (settled?.webNote !== undefined) context.say(settled.webNote);
    context.say(`Temporal ${up.address}${placesText(settled)}`);
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
    context.say("stopping worker, page and server; sessions go on at the next start");
    void supervisor.stop();
  };
  // Once: a second Ctrl-C ends this process at once, and the next up adopts what is left.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  await supervisor.ended;
  if (!told) context.say("ended by tempi down or by another tempi");
  // A server that was adopted and left running is still being watched: that must not keep this process.
  process.exit(0);
}

/** Says each change of server, worker and page once. */
function narrator(say: (line: string) => void): (state: UpState) => void {
  const said = new Set<string>();
  const once = (line: string) => {
    if (said.has(line)) return;
    said.add(line);
    say(line);
  };
  let wasReady = false;
  return (state) => {
    for (const note of [...state.notes, ...(state.webNote === undefined ? [] : [state.webNote])]) once(note);
    for (const name of ["server", "worker", "web"] as const) {
      const { restarts, lastError, state: now } = state[name];
      const why = lastError === undefined ? "" : `: ${lastError}`;
      const what = name === "web" ? "web page" : name;
      if (now === "failed")
        once(`the ${what} died 3 times in a minute and is not started again${why}. Next: tempi restart`);
      else if (restarts > 0) once(`the ${what} died and is started again (${restarts})${why}`);
    }
    const ready = isReady(state);
    // The page comes last; one that was given up is none to wait for.
    if (ready && !wasReady && state.web.state !== "starting") {
      say(`ready: Temporal ${state.address}${placesText(state)}. Ctrl-C stops it`);
      wasReady = true;
    }
    if (!ready) wasReady = false;
  };
}

/** Where a browser finds things, for the line that says that all is ready. */
const placesText = (state: UpState | undefined): string =>
  [
    state?.uiUrl ? `, UI ${state.uiUrl}` : "",
    state && webIsReady(state) ? `, page ${state.webUrl} (tempi web opens it)` : "",
  ].join("");

/** Waits until the page is ready or is not to be: the other two are ready when this is asked. */
async function webSettled(home: Home): Promise<UpState | undefined> {
  const settled = () => {
    const state = readUp(home);
    return state?.web.state === "starting" ? undefined : (state ?? null);
  };
  const state = await untilChanged(home.run, AbortSignal.timeout(webPatienceMs), settled).catch(() => readUp(home));
  return state ?? undefined;
}

/** `tempi restart`: server, worker and page anew, the worker with this terminal's provider variables. */
export async function restartCommand(context: MachineContext): Promise<void> {
  const state = readUp(context.home);
  if (!state) {
    await upCommand(context, { detach: true });
    return;
  }
  const environment = providerEnvironment(context.environment, Object.keys(state.variables));
  expectOk(await askSupervisor(state, { cmd: "restart-server" }, 30_000));
  expectOk(await askSupervisor(state, { cmd: "restart-worker", environment }, 60_000));
  // The page belongs to it, and is no reason to fail.
  if (state.web.state !== "stopped") await askSupervisor(state, { cmd: "restart-web" }, 30_000);
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
