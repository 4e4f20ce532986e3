import { join } from "node:path";
import { type Home, type WebFile, type WorkerFile, webFileOf, workerFileOf } from "../config/home.ts";
import { readJsonFile } from "../server/json-file.ts";
import { isAlive, type ProcessIdentity } from "../server/process-identity.ts";

/** A process that the supervisor keeps running. */
export interface ChildState {
  /** `failed`: died 3 times in 60 s, not started again. `named`: a server that is not ours. */
  state: "starting" | "ready" | "failed" | "stopped" | "named";
  pid?: number;
  start?: string;
  /** Milliseconds since 1970. */
  since?: number;
  version?: string;
  /** Unwanted deaths since the supervisor began. */
  restarts: number;
  /** Last line of its log at its last death. */
  lastError?: string;
}

/** `run/up.json`: what the supervisor knows, replaced at every change. Survives its death. */
export interface UpState extends ProcessIdentity {
  /** Version of tempi that supervises. */
  version: string;
  /** Milliseconds since 1970. */
  since: number;
  /** Path of the control socket. */
  socket: string;
  address: string;
  namespace: string;
  /** Profile that named the server; absent for this home's own. */
  profile?: string;
  uiUrl: string | null;
  /** Fingerprints of the provider variables the worker has, by name. */
  variables: Record<string, string>;
  server: ChildState;
  worker: ChildState;
  /** The web page: sessions run without it. */
  web: ChildState;
  /** Address of the page on this machine, without token; absent until its port was chosen. */
  webUrl?: string;
  /** What to tell of that address: its port was taken by something else. */
  webNote?: string | undefined;
  /** Things to tell whoever started it, once. */
  notes: string[];
}

export const upFileOf = (home: Home): string => join(home.run, "up.json");
export const webPortFileOf = (home: Home): string => join(home.root, "web-port.json");
export const portsFileOf = (home: Home): string => join(home.root, "server.json");
export const supervisorLockOf = (home: Home): string => join(home.run, "up.lock");

/** The state of a living supervisor; undefined when none runs, whatever files say. */
export function readUp(home: Home): UpState | undefined {
  const state = readUpFile(home);
  return isAlive(state) ? state : undefined;
}

/** The state file as it is, also of a dead supervisor. */
export function readUpFile(home: Home): UpState | undefined {
  const state = readJsonFile<UpState>(upFileOf(home));
  // Versions before the web page wrote none.
  return state && { ...state, web: state.web ?? { state: "stopped", restarts: 0 } };
}

export const readWorkerFile = (home: Home): WorkerFile | undefined => readJsonFile<WorkerFile>(workerFileOf(home));

export const readWebFile = (home: Home): WebFile | undefined => readJsonFile<WebFile>(webFileOf(home));

/** Where a person reaches the page, without token: the proxy, the local network, or only this machine. */
export function pageAddress(file: WebFile | undefined): string | undefined {
  if (!file) return undefined;
  return file.publicUrl ?? (file.lan === undefined ? file.url : `http://${file.lan}:${file.port}`);
}

/** Whether the page can be opened. */
export const webIsReady = ({ web }: UpState): boolean => web.state === "ready" && isAlive(web);

/** Whether sessions can run: the children are ready and are the processes that the state names. */
export const isReady = (state: UpState): boolean =>
  serverIsReady(state) && state.worker.state === "ready" && isAlive(state.worker);

/** Whether sessions can be read: their histories are on the server. */
export const serverIsReady = (state: UpState): boolean =>
  state.server.state === "named" || (state.server.state === "ready" && isAlive(state.server));

/** Whether a reader need not wait any longer: for a worker that was given up it would wait for ever. */
export const isReadable = (state: UpState): boolean =>
  serverIsReady(state) && (state.worker.state === "failed" || isReady(state));
