import type { ConnectionOptions } from "@temporalio/client";
import { fingerprintKeyOf, type Home } from "../config/home.ts";
import { differingNames, fingerprintOf, providerEnvironment } from "../config/provider-environment.ts";
import { signalProcess, waitForExit } from "../server/process-identity.ts";
import { spawnSupervisor, throwIfGivenUp, waitUntilReady } from "./background.ts";
import { askSupervisor } from "./control-socket.ts";
import { isReadable, isReady, readUp, type UpState } from "./up-state.ts";
import { version } from "./version.ts";

export { providerEnvironment } from "../config/provider-environment.ts";

export interface EnsureUpOptions {
  home: Home;
  /** Lines for stderr. */
  onMessage: (text: string) => void;
  environment: NodeJS.ProcessEnv;
  /** Answers downloads and the first use of an address with yes. */
  yes: boolean;
  /** Minutes without open session after which what is started here leaves; absent = stays. */
  idleExitMinutes?: number;
  /** `--temporal-profile`. */
  profile?: string;
  /** Asks the person; the terminal when absent. */
  ask?: (question: string) => Promise<boolean>;
  /** False for what only reads: a worker that was given up is then said and not an error. Default true. */
  needWorker?: boolean;
  /** Program started as worker, for tests. */
  workerProgram?: string;
}

export interface UpResult {
  address: string;
  namespace: string;
  /** Page of the Temporal UI; null for a named server. */
  uiUrl: string | null;
  startedNow: boolean;
  supervisorPid: number;
  /** How to connect: with TLS and key when a profile named the server. */
  connection: ConnectionOptions;
}

/**
 * Makes sure that server and worker run, and returns where. When they do this takes a few milliseconds: files and pids are read,
 * nothing is asked over the network. Throws errors for a person.
 */
export async function ensureUp(options: EnsureUpOptions): Promise<UpResult> {
  const { home } = options;
  let state = readUp(home);
  if (state && state.version !== version) {
    options.onMessage(`tempi ${state.version} was running; its worker is replaced by ${version}, commands go on`);
    await handOver(state);
    state = undefined;
  }
  if (!state) return await startInBackground(options);
  const needWorker = options.needWorker ?? true;
  if (!(needWorker ? isReady(state) : isReadable(state))) {
    throwIfGivenUp(state, needWorker);
    state = await waitUntilReady(home, { needWorker });
  }
  // Without a worker there is none whose variables could be other ones; restarting one is not for a reader to do.
  if (isReady(state)) state = await matchVariables(state, options);
  else sayWorkerGivenUp(state, options);
  return await resultOf(state, options, false);
}

async function startInBackground(options: EnsureUpOptions): Promise<UpResult> {
  const { prepareUp, terminalQuestion } = await import("./prepare-up.ts");
  const ask = options.ask ?? terminalQuestion();
  const prepared = await prepareUp({ ...options, ...(ask ? { ask } : {}) });
  const started = spawnSupervisor(options.home, prepared, options);
  const state = await waitUntilReady(options.home, { started, needWorker: options.needWorker ?? true });
  for (const note of state.notes) options.onMessage(note);
  sayWorkerGivenUp(state, options);
  // Two commands may have started one each; the second found the lock held and left.
  const startedNow = state.pid === started.pid;
  if (startedNow) options.onMessage(`started in the background (pid ${state.pid}); tempi down stops them`);
  return await resultOf(state, options, startedNow);
}

function sayWorkerGivenUp(state: UpState, { onMessage }: EnsureUpOptions): void {
  if (state.worker.state !== "failed") return;
  onMessage("the worker died 3 times and is not started again. Next: tempi logs worker, then tempi restart");
}

/** Gives an idle worker the caller's provider variables; names a busy one. */
async function matchVariables(state: UpState, options: EnsureUpOptions): Promise<UpState> {
  const { home, onMessage } = options;
  const environment = providerEnvironment(options.environment, Object.keys(state.variables));
  const names = differingNames(fingerprintOf(environment, fingerprintKeyOf(home)), state.variables);
  if (names.length === 0) return state;
  const answer = await askSupervisor(state, { cmd: "restart-worker", environment, ifIdle: true }, 30_000);
  const shown = names.join(", ");
  if (answer.ok) {
    onMessage(`the worker had other provider variables than this terminal (${shown}); it was restarted with yours`);
    return await waitUntilReady(home, { until: (now) => now.worker.pid !== state.worker.pid });
  }
  const why = "busy" in answer ? `works on ${answer.busy} session${answer.busy === 1 ? "" : "s"}` : answer.error;
  onMessage(
    `the worker has other provider variables than this terminal (${shown}) and ${why}. Next, when it is done: tempi restart`,
  );
  return state;
}

/** Ends a supervisor of another version without its children; the next one adopts them. */
async function handOver(state: UpState): Promise<void> {
  await askSupervisor(state, { cmd: "leave" }).catch(() => signalProcess(state, "SIGKILL"));
  await waitForExit(state, 10_000);
}

async function resultOf(state: UpState, options: EnsureUpOptions, startedNow: boolean): Promise<UpResult> {
  let connection: ConnectionOptions = { address: state.address };
  if (state.profile !== undefined) {
    const { resolveAddress } = await import("../server/resolve-address.ts");
    const target = resolveAddress({ profile: state.profile, environment: options.environment });
    if (target.kind === "named") connection = target.connection;
  }
  const { address, namespace, uiUrl } = state;
  return { address, namespace, uiUrl, startedNow, supervisorPid: state.pid, connection };
}
