import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { type Client, Connection, type ConnectionOptions, Client as TemporalClient } from "@temporalio/client";
import { type InjectedSinks, NativeConnection, type NativeConnectionOptions, Worker } from "@temporalio/worker";
import { Environments } from "../../activities/environments.ts";
import { createActivities } from "../../activities/index.ts";
import { RenderStates } from "../../activities/renderers.ts";
import type { ActivityServices } from "../../activities/services.ts";
import { Transcripts } from "../../activities/transcripts.ts";
import type { LiveSinks } from "../../workflows/live-sink.ts";
import { type Home, machineIdOf } from "../config/home.ts";
import { socketPathOf } from "../config/socket-path.ts";
import { limits } from "../protocol/limits.ts";
import { taskQueueOf } from "../protocol/session.ts";
import { createFileMutex } from "./file-mutex.ts";
import { LiveServer } from "./live-server.ts";
import { AttemptJournal } from "./running-attempts.ts";
import { takeOverOpenWorkflows } from "./take-over.ts";
import { payloadConverterPath, workflowBundle } from "./workflow-bundle.ts";

/** The supervisor keeps standard error as the worker's log. */
const log = (text: string): void => console.error(`${new Date().toISOString()} ${text}`);
const connectPatienceMs = 60_000;

export interface WorkerOptions {
  home: Home;
  address: string;
  namespace: string;
  /** TLS and credentials, for a server that a profile named. */
  connection?: ConnectionOptions;
  /** What the composition decides: tools, model, keys. */
  services: Pick<
    ActivityServices,
    "toolset" | "rules" | "streamAssistant" | "apiKeyFor" | "modelOptions" | "decisionKey" | "notifyTargets"
  >;
}

export interface SessionWorker {
  socket: string;
  /** Resolves when the worker has stopped, by `shutdown` or by a fatal error (rejects). */
  run: Promise<void>;
  /** Running commands are left to the next worker; streams start again there. */
  shutdown(): void;
}

/** Connects (waiting for a server that is still starting), bundles, and begins to poll. */
export async function startSessionWorker({
  home,
  address,
  namespace,
  connection: named,
  services,
}: WorkerOptions): Promise<SessionWorker> {
  const bundling = workflowBundle(home.cache);
  const connection = await patiently(() => NativeConnection.connect({ ...nativeOptions(named), address }));
  const client = await connectClient({ ...named, address }, namespace);
  const live = new LiveServer(socketPathOf(home, "live.sock"));
  await live.listen();
  const attempts = new AttemptJournal(home.run);
  const transcripts = new Transcripts(client);
  const environments = new Environments(client);
  const machineId = machineIdOf(home);
  const fileLocks = createFileMutex({ client, taskQueue: taskQueueOf(machineId), machineId });
  const sinks: InjectedSinks<LiveSinks> = {
    live: {
      changed: { fn: (_info, sessionId, last) => live.changed(sessionId, last), callDuringReplay: false },
      cancelled: { fn: ({ runId }, activityIds) => attempts.cancel(runId, activityIds), callDuringReplay: false },
    },
  };
  limitWorkflowStacks();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: taskQueueOf(machineId),
    workflowBundle: await bundling,
    dataConverter: { payloadConverterPath },
    activities: createActivities({
      ...services,
      log,
      client,
      home,
      transcripts,
      environments,
      live,
      attempts,
      fileMutex: fileLocks.withFileMutex,
      renderStates: new RenderStates(),
    }),
    sinks,
    stickyQueueScheduleToStartTimeout: "1 second",
    // After a restart every open session is replayed. All at once each would take longer than a workflow task may, be given up
    // and begin anew (measured with 20 sessions on a busy machine); the others wait with the engine, where no clock runs.
    maxConcurrentWorkflowTaskExecutions: 6,
    maxConcurrentActivityTaskExecutions: 200,
    maxEagerActivityReservationsPerWorkflowTask: limits.parallelCalls,
    maxHeartbeatThrottleInterval: limits.heartbeatDetailsMs,
    defaultHeartbeatThrottleInterval: limits.heartbeatDetailsMs,
    shutdownGraceTime: "20 seconds",
  });
  await attempts.failPredecessors(client);
  await takeOverOpenWorkflows(client, taskQueueOf(machineId));
  const run = worker.run().finally(async () => {
    live.close();
    // A release that does not arrive is found out by whoever waits, a second later.
    await Promise.race([fileLocks.settled(), sleep(1_000, undefined, { ref: false })]);
  });
  return {
    socket: socketPathOf(home, "live.sock"),
    run,
    shutdown: () => {
      attempts.shutdown();
      worker.shutdown();
    },
  };
}

/**
 * The SDK takes a stack trace for each promise of a workflow, for the query that shows them, and looks up each frame in the source
 * map: a quarter of what a replay costs, and after a worker's death everything is replayed. Counts for contexts made from now on.
 */
function limitWorkflowStacks(): void {
  setFlagsFromString("--stack-trace-limit=2");
}

async function connectClient(options: ConnectionOptions, namespace: string): Promise<Client> {
  const channelArgs = { "grpc.max_receive_message_length": 64 * 1024 * 1024 };
  const connection = await patiently(() => Connection.connect({ ...options, channelArgs }));
  return new TemporalClient({ connection, namespace });
}

/** The same server and credentials in the words of the native connection. */
function nativeOptions({ tls, apiKey, metadata }: ConnectionOptions = {}): NativeConnectionOptions {
  return {
    ...(tls === undefined || tls === null ? {} : { tls }),
    ...(typeof apiKey === "string" ? { apiKey } : {}),
    ...(metadata ? { metadata: metadata as Record<string, string> } : {}),
  };
}

async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  const until = Date.now() + connectPatienceMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
