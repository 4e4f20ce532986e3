import type { Client } from "@temporalio/client";
import type { Registered } from "../src/agent/extension.ts";
import type { RuleSet } from "../src/agent/rule.ts";
import type { AgentToolResult, ToolDefinition } from "../src/agent/tool.ts";
import type { Home } from "../src/config/home.ts";
import type { ModelSettings } from "../src/protocol/session.ts";
import type { ModelRequest, StreamAssistant, StreamDelta } from "../src/providers/contract.ts";
import type { Price } from "../src/providers/price.ts";
import type { Environments } from "./environments.ts";
import type { RenderStates } from "./renderers.ts";
import type { Transcripts } from "./transcripts.ts";

/** What activities share within one worker process. Everything in it is cache or connection; the record is history. */
export interface ActivityServices {
  client: Client;
  home: Home;
  transcripts: Transcripts;
  environments: Environments;
  /** What a session of a workspace can use now; read anew for each activity, so that changed extensions count. */
  toolset(cwd: string): Promise<Toolset>;
  /** Rules of the approval policy that count in a workspace now. Never throws: what is wrong is its `fault`. */
  rules(cwd: string): RuleSet;
  /** A line for the worker's log; never message text. */
  log(text: string): void;
  live: LiveHub;
  streamAssistant: StreamAssistant;
  /** The key for a model, read anew for each request; undefined when none is configured. Throws `ModelError` when it can't be read. */
  apiKeyFor(model: ModelSettings): Promise<string | undefined>;
  /** What the user's own configuration says of a model now: so that it counts for every session, whoever started it. */
  modelOptions(model: ModelSettings): WorkerModelOptions;
  /** HMAC key (hex) of decisions; `undefined` when proofs are switched off in the configuration. */
  decisionKey(): string | undefined;
  /** Whom the user's own configuration tells when a session waits; `page` is the address of the web page, where one runs. */
  notifyTargets(): { command?: string; url?: string; page?: string };
  renderStates: RenderStates;
  attempts: RunningAttempts;
  fileMutex: FileMutex;
}

/** Fields of a request that come from configuration, and what its answer costs. */
export interface WorkerModelOptions {
  compat?: NonNullable<ModelRequest["compat"]>;
  thinking?: NonNullable<ModelRequest["thinkingMap"]>;
  price?: Price;
  /** Tokens of input and output together; the session's own where absent. */
  contextWindow?: number;
  /** Tokens of one answer at most; the session's own where absent. */
  maxOutput?: number;
}

/** Runs `fn` while no other call of any session on this machine writes the file. Rejects with the signal's reason on a stop. */
export type FileMutex = <T>(owner: LockOwner, path: string, fn: () => Promise<T>) => Promise<T>;

/** The call that wants a lock, and how it hears of a stop. */
export interface LockOwner {
  workflowId: string;
  runId: string;
  activityId: string;
  attempt: number;
  signal: AbortSignal;
  log(text: string): void;
}

/** Everything a session of one workspace can use. */
export interface Toolset {
  /** Built-in tools, replaced by extensions' tools of the same name, then the other tools of extensions. */
  tools: ToolDefinition[];
  /** Names of the tools that come from extensions. */
  extensionTools: string[];
  hooks: Pick<Registered, "before" | "after" | "listeners">;
  /** What was skipped and why, in words. */
  faults: string[];
}

/** Growing output of one attempt, for whoever watches. */
export interface LiveSource {
  delta(delta: StreamDelta): void;
  update(partial: AgentToolResult): void;
  /** The end of the text so far, for heartbeat details. */
  tail(): string;
  done(): void;
}

export interface LiveHub {
  open(sessionId: string, source: string, attempt: number): LiveSource;
}

/** Attempts that run in this process: told of cancellation at once, and written down so that a successor can fail them. */
export interface RunningAttempts {
  begin(attempt: { runId: string; activityId: string; taskToken: Uint8Array }): { signal: AbortSignal; end(): void };
}

/** Reason of an abort because this worker is going away: work that can go on elsewhere must be left running. */
export class WorkerShutdown extends Error {
  constructor() {
    super("the worker is shutting down");
    this.name = "WorkerShutdown";
  }
}
