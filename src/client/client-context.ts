import { type Client, Connection, type ConnectionOptions, Client as TemporalClient } from "@temporalio/client";
import { type Home, machineIdOf } from "../config/home.ts";
import { taskQueueOf, workflowIdOf } from "../protocol/session.ts";
import { livingWorker } from "./worker-state.ts";

const closePatienceMs = 3_000;

/**
 * The engine would keep a question for the next worker, who cannot answer it before the tasks that wait too: it would be asked
 * for nothing, and again.
 */
const noWorker = (): Promise<never> => Promise.reject(new Error("its worker is away"));

/** Connection and home that the parts of the session client share. */
export interface ClientContext {
  client: Client;
  /** `HOST:PORT` of the server. */
  address: string;
  home: Home;
  taskQueue: string;
  /** Calls under way that `closeContext` waits for: the library retries on a timer, which would throw on a closed channel. */
  background: Set<Promise<unknown>>;
}

/** No session matches; `candidates` are those that could be meant. */
export class SessionNotFound extends Error {
  readonly candidates: { id: string; title: string }[];
  constructor(message: string, candidates: { id: string; title: string }[] = []) {
    super(message);
    this.name = "SessionNotFound";
    this.candidates = candidates;
  }
}

/** Where a session client connects. `connection` holds TLS and credentials where a profile named the server. */
export interface ClientOptions {
  address: string;
  namespace: string;
  home: Home;
  connection?: ConnectionOptions;
}

export async function openContext(options: ClientOptions): Promise<ClientContext> {
  const connection = await Connection.connect({
    ...options.connection,
    address: options.address,
    // A page of history can be larger than gRPC's default of 4 MB.
    channelArgs: { "grpc.max_receive_message_length": 64 * 1024 * 1024 },
  });
  const client = new TemporalClient({
    connection,
    namespace: options.namespace,
    identity: `tempi-client-${process.pid}`,
    interceptors: { workflow: [{ query: (input, next) => (livingWorker(options.home) ? next(input) : noWorker()) }] },
  });
  return {
    client,
    address: options.address,
    home: options.home,
    taskQueue: taskQueueOf(machineIdOf(options.home)),
    background: new Set(),
  };
}

export async function closeContext({ client, background }: ClientContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, closePatienceMs);
  });
  await Promise.race([Promise.allSettled(background), patience]);
  clearTimeout(timer);
  await client.connection.close();
}

/** The newest run of a session. */
export const sessionHandle = ({ client }: ClientContext, sessionId: string) =>
  client.workflow.getHandle(workflowIdOf(sessionId));
