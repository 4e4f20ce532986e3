import { fingerprintKeyOf, type Home, prepareHome } from "../config/home.ts";
import { differingNames, fingerprintOf, providerEnvironment } from "../config/provider-environment.ts";
import { searchAttributes } from "../protocol/session.ts";
import { writeJsonFile } from "../server/json-file.ts";
import { type Lock, tryLock } from "../server/lock.ts";
import type { ServerPorts } from "../server/ports.ts";
import { endProcess, isAlive } from "../server/process-identity.ts";
import type { TemporalTarget } from "../server/resolve-address.ts";
import { type ChildKeeper, keeperOf } from "./child-keeper.ts";
import { type ControlAnswer, type ControlRequest, serveControl } from "./control-socket.ts";
import { firstState } from "./first-state.ts";
import { watchIdle } from "./idle-exit.ts";
import { logFileOf, rotateLog } from "./log-files.ts";
import { ServerChild } from "./server-child.ts";
import { type SessionCounter, sessionCounter } from "./session-counts.ts";
import { readUpFile, supervisorLockOf, type UpState, upFileOf } from "./up-state.ts";
import { WebKeeper } from "./web-keeper.ts";
import { defaultWorkerProgram, WorkerChild } from "./worker-child.ts";

/** A first request of `run` is made and answered by an endpoint in the meantime. */
const webDelayMs = 1_500;

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

/**
 * Keeps Temporal server, worker and web page running. Resolves to undefined when another supervisor of this home lives. Server and
 * worker start at once: the worker tries to connect until the server answers. The page comes after them.
 */
export async function supervise(options: SupervisorOptions): Promise<Supervisor | undefined> {
  prepareHome(options.home);
  const lock = tryLock(supervisorLockOf(options.home));
  if ("holder" in lock) return undefined;
  const supervisor = new Supervisor(options, lock);
  await supervisor.begin();
  return supervisor;
}

/** The supervisor of one home; made by `supervise`. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #lock: Lock;
  readonly #before: UpState | undefined;
  readonly #state: UpState;
  readonly #server: ServerChild;
  readonly #serverKeeper: ChildKeeper;
  readonly #worker: WorkerChild;
  readonly #workerKeeper: ChildKeeper;
  readonly #web: WebKeeper;
  readonly #sessions: SessionCounter;
  readonly #addressKnown = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #cleanups: (() => void)[] = [];
  #idle: { stop: () => void } | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: SupervisorOptions, lock: Lock) {
    const { home, target } = options;
    this.#options = options;
    this.#lock = lock;
    this.#before = readUpFile(home);
    this.#state = firstState(home, target, this.#before);
    this.#worker = new WorkerChild({
      home,
      program: options.workerProgram ?? defaultWorkerProgram(),
      environment: options.environment,
      variables: providerEnvironment(options.environment, options.extraVariables),
      target: () => this.#state,
    });
    this.#workerKeeper = keeperOf(this.#worker, (child) => {
      this.#change({ worker: child });
      // Also without a worker: then the page shows what was.
      if (child.state === "ready" || child.state === "failed") this.#web.begin();
    });
    this.#web = new WebKeeper({
      home,
      environment: options.environment,
      variables: () => this.#worker.variables,
      target: () => this.#state,
      before: this.#before?.web,
      // Who asked by name waits for the page; after a start by `run` its first request comes first.
      delayMs: options.idleExitMinutes === undefined ? 0 : webDelayMs,
      onChange: (web) => this.#change({ web }),
      onPort: (webUrl, webNote) => this.#change({ webUrl, webNote }),
    });
    this.#server = new ServerChild({
      home,
      binary: options.binary,
      searchAttributes,
      onPorts: (ports, notes) => this.#onPorts(ports, notes),
    });
    this.#serverKeeper = keeperOf(this.#server, (child) => this.#change({ server: child }));
    this.#sessions = sessionCounter(() => this.#server.connection, target);
  }

  /** Resolves when it has ended, by whatever request. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async begin(): Promise<void> {
    const { home, idleExitMinutes, target } = this.#options;
    this.#change({ variables: this.#fingerprint() });
    const control = await serveControl(this.#state.socket, home, (request) => this.#answer(request));
    const rotation = setInterval(() => {
      for (const name of ["up", "server", "worker", "web"] as const) rotateLog(logFileOf(home, name));
    }, 5_000);
    this.#cleanups.push(control.close, () => clearInterval(rotation));
    if (idleExitMinutes !== undefined) {
      this.#idle = watchIdle(idleExitMinutes, this.#sessions.open, () => void this.stop());
    }
    if (target.kind === "own") this.#serverKeeper.begin(this.#server.adopt());
    else this.#addressKnown.resolve();
    // As soon as the port is chosen: server and worker start at the same time.
    void this.#addressKnown.promise.then(() => this.#beginWorker());
  }

  /** Orderly stop: worker and page, then server. */
  stop(): Promise<void> {
    this.#ending ??= this.#end(async () => {
      await Promise.all([this.#workerKeeper.stop(), this.#web.stop()]);
      await this.#serverKeeper.stop();
    });
    return this.#ending;
  }

  /** Ends without the children, for the next supervisor to adopt. */
  leave(): Promise<void> {
    this.#ending ??= this.#end(async () => {
      this.#workerKeeper.leave();
      this.#web.leave();
      this.#serverKeeper.leave();
    });
    return this.#ending;
  }

  async #end(children: () => Promise<void>): Promise<void> {
    this.#idle?.stop();
    await children();
    this.#server.release();
    await this.#sessions.close();
    for (const cleanup of this.#cleanups) cleanup();
    this.#lock.release();
    this.#ended.resolve();
  }

  async #answer(request: ControlRequest): Promise<ControlAnswer> {
    switch (request.cmd) {
      case "status":
        return { ok: true, state: this.#state };
      case "stop":
      case "leave":
        // Once the answer is out, because ending closes the socket.
        setImmediate(() => void this[request.cmd]());
        return { ok: true };
      case "keep":
        this.#idle?.stop();
        return { ok: true };
      case "restart-server":
        if (this.#options.target.kind === "own") await this.#serverKeeper.restart();
        return { ok: true };
      case "restart-worker": {
        const busy = request.ifIdle ? await this.#sessions.busy() : 0;
        if (busy > 0) return { ok: false, busy };
        const before = this.#state.variables;
        this.#worker.variables = { ...this.#worker.variables, ...request.environment };
        this.#change({ variables: this.#fingerprint() });
        await this.#workerKeeper.restart();
        // It checks the model of a new session by the same variables.
        if (differingNames(this.#state.variables, before).length > 0) await this.#web.restartIfBegun();
        return { ok: true };
      }
      case "restart-web": {
        const { lan, publicUrl, ifNeeded } = request;
        const reach = { ...(lan === undefined ? {} : { lan }), ...(publicUrl === undefined ? {} : { publicUrl }) };
        await (ifNeeded ? this.#web.need() : this.#web.restart(reach));
        return { ok: true };
      }
      default:
        return { ok: false, error: "unknown command" };
    }
  }

  async #beginWorker(): Promise<void> {
    const left = this.#before?.worker;
    if (isAlive(left)) await endProcess(left, this.#worker.graceMs);
    if (!this.#ending) this.#workerKeeper.begin();
  }

  #onPorts(ports: ServerPorts, notes: string[]): void {
    const address = `127.0.0.1:${ports.grpc}`;
    const moved = this.#state.address !== "" && this.#state.address !== address;
    this.#change({
      address,
      uiUrl: `http://127.0.0.1:${ports.ui}`,
      notes: [...this.#state.notes, ...notes],
    });
    if (moved) {
      void this.#workerKeeper.restart();
      void this.#web.restartIfBegun();
    }
    this.#addressKnown.resolve();
  }

  #fingerprint(): Record<string, string> {
    return fingerprintOf(this.#worker.variables, fingerprintKeyOf(this.#options.home));
  }

  #change(change: Partial<UpState>): void {
    Object.assign(this.#state, change);
    writeJsonFile(upFileOf(this.#options.home), this.#state);
    this.#options.onChange?.(this.#state);
  }
}
