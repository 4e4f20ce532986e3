import { setInterval as every } from "node:timers";
import { fingerprintKeyOf, type Home, prepareHome } from "../config/home.ts";
import { fingerprintOf, providerEnvironment } from "../config/provider-environment.ts";
import { searchAttributes } from "../protocol/session.ts";
import { writeJsonFile } from "../server/json-file.ts";
import { tryLock } from "../server/lock.ts";
import { endProcess, identityOf, isAlive } from "../server/process-identity.ts";
import type { TemporalTarget } from "../server/resolve-address.ts";
import { ChildKeeper } from "./child-keeper.ts";
import { type ControlAnswer, type ControlRequest, chooseSocketPath, serveControl } from "./control-socket.ts";
import { watchIdle } from "./idle-exit.ts";
import { logFileOf, rotateLog } from "./log-files.ts";
import { ServerChild } from "./server-child.ts";
import { sessionCounter } from "./session-counts.ts";
import { readUpFile, supervisorLockOf, type UpState, upFileOf } from "./up-state.ts";
import { version } from "./version.ts";
import { defaultWorkerProgram, WorkerChild } from "./worker-child.ts";

export interface SupervisorOptions {
  home: Home;
  target: TemporalTarget;
  /** Path of the Temporal CLI; unused for a named server. */
  binary: string;
  environment: NodeJS.ProcessEnv;
  /** Names of variables that configuration names as keys. */
  extraVariables?: readonly string[];
  /** Minutes without open session after which it leaves by itself; absent = never. */
  idleExitMinutes?: number;
  /** Program started as worker; `src/main/worker.ts` when absent. */
  workerProgram?: string;
  onChange?: (state: UpState) => void;
}

export interface Supervisor {
  /** Orderly stop: worker, then server. */
  stop(): Promise<void>;
  /** Resolves when it has ended, by whatever request. */
  ended: Promise<void>;
}

/**
 * Keeps Temporal server and worker running. Resolves to undefined when another supervisor of this home lives. Both children
 * start at once: the worker tries to connect until the server answers.
 */
export async function supervise(options: SupervisorOptions): Promise<Supervisor | undefined> {
  const { home, target } = options;
  prepareHome(home);
  const lock = tryLock(supervisorLockOf(home));
  if ("holder" in lock) return undefined;
  const before = readUpFile(home);
  const own = target.kind === "own";
  const namespace = own ? "default" : target.namespace;
  const fingerprintKey = fingerprintKeyOf(home);
  const state: UpState = {
    ...identityOf(process.pid)!,
    version,
    since: Date.now(),
    socket: chooseSocketPath(home),
    address: own ? "" : target.address,
    namespace,
    ...(!own && target.profile !== undefined ? { profile: target.profile } : {}),
    uiUrl: null,
    variables: {},
    server: own ? { state: "starting", restarts: 0 } : { state: "named", restarts: 0 },
    // Recorded until it is ended, so that a supervisor that dies now leaves its trace to the next.
    worker: before?.worker ?? { state: "starting", restarts: 0 },
    notes: [],
  };
  const changed = () => {
    writeJsonFile(upFileOf(home), state);
    options.onChange?.(state);
  };

  const worker = new WorkerChild({
    home,
    program: options.workerProgram ?? defaultWorkerProgram(),
    environment: options.environment,
    variables: providerEnvironment(options.environment, options.extraVariables),
    target: () => ({
      address: state.address,
      namespace,
      ...(state.profile === undefined ? {} : { profile: state.profile }),
    }),
  });
  const fingerprint = () => {
    state.variables = fingerprintOf(worker.variables, fingerprintKey);
  };
  const workerKeeper = new ChildKeeper({
    ...{ start: worker.start, ready: worker.ready, lastLine: worker.lastLine, graceMs: worker.graceMs },
    onChange: (child) => {
      state.worker = child;
      changed();
    },
  });
  const addressKnown = Promise.withResolvers<void>();
  const server = new ServerChild({
    home,
    binary: options.binary,
    searchAttributes,
    onPorts: (ports, notes) => {
      const address = `127.0.0.1:${ports.grpc}`;
      const moved = state.address !== "" && state.address !== address;
      state.address = address;
      state.uiUrl = `http://127.0.0.1:${ports.ui}`;
      state.notes.push(...notes);
      if (moved) void workerKeeper.restart();
      addressKnown.resolve();
    },
  });
  const serverKeeper = new ChildKeeper({
    ...{ start: server.start, ready: server.ready, lastLine: server.lastLine, isPassing: server.isPassing },
    graceMs: server.graceMs,
    onChange: (child) => {
      state.server = child;
      changed();
    },
  });
  const count = sessionCounter(() => server.connection, target);

  fingerprint();
  changed();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;
  const finish = async (children: () => Promise<void>) => {
    idle?.stop();
    clearInterval(rotation);
    await children();
    server.release();
    await count.close();
    control.close();
    lock.release();
    end();
  };
  const stop = () =>
    (stopping ??= finish(async () => {
      await workerKeeper.stop();
      await serverKeeper.stop();
    }));
  const leave = () =>
    (stopping ??= finish(async () => {
      workerKeeper.leave();
      serverKeeper.leave();
    }));

  const handle = async (request: ControlRequest): Promise<ControlAnswer> => {
    switch (request.cmd) {
      case "status":
        return { ok: true, state };
      case "stop":
        await stop();
        return { ok: true };
      case "leave":
        // After the answer is out: leaving closes the socket.
        setImmediate(() => void leave());
        return { ok: true };
      case "keep":
        idle?.stop();
        return { ok: true };
      case "restart-server":
        if (own) await serverKeeper.restart();
        return { ok: true };
      case "restart-worker": {
        const busy = request.ifIdle ? await count.busy() : 0;
        if (busy > 0) return { ok: false, busy };
        worker.variables = { ...worker.variables, ...request.environment };
        fingerprint();
        await workerKeeper.restart();
        return { ok: true };
      }
      default:
        return { ok: false, error: "unknown command" };
    }
  };
  const control = await serveControl(state.socket, home, handle);
  const idle =
    options.idleExitMinutes === undefined
      ? undefined
      : watchIdle(options.idleExitMinutes, count.open, () => void stop());
  const rotation = every(() => {
    for (const name of ["up", "server", "worker", "web"] as const) rotateLog(logFileOf(home, name));
  }, 5_000);

  const beginWorker = async () => {
    if (isAlive(before?.worker)) await endProcess(before.worker, worker.graceMs);
    if (!stopping) workerKeeper.begin();
  };
  if (own) {
    serverKeeper.begin(server.adopt());
    // As soon as the port is chosen: server and worker start at the same time.
    void addressKnown.promise.then(beginWorker);
  } else {
    void beginWorker();
  }
  return { stop, ended };
}
