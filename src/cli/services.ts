import type { ImageContent } from "../agent/messages.ts";
import type { ApprovalLevel, SessionClient } from "../client/contract.ts";
import type { ModelSettings, SessionSettings, ThinkingLevel } from "../protocol/session.ts";

/** A client with the connection it must give back. */
export interface ConnectedClient extends SessionClient {
  /** Address of the Temporal UI's page of a session, where there is one. */
  uiUrl?: string;
  close(): Promise<void>;
}

/** What flags say; what is absent comes from the configuration. */
export interface SettingFlags {
  model?: string;
  thinking?: ThinkingLevel;
  approval?: ApprovalLevel;
  maxTurns?: number;
  /** Command that must exit with 0 before an answer counts. */
  until?: string;
  /** `30s`, `15m`, `2h`, `1d`. */
  timeout?: string;
  /** US dollars. */
  budget?: number;
  tools?: string[];
  /** File whose text replaces most of the system prompt. */
  systemPrompt?: string;
}

export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
  on?(event: "resize", listener: () => void): unknown;
  off?(event: "resize", listener: () => void): unknown;
}

export interface InputStream {
  isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  [Symbol.asyncIterator](): AsyncIterator<Buffer | string>;
}

export type LeaveSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What the commands need of the rest; `src/main/cli.ts` composes it, tests fake it. */
export interface CliServices {
  /** Folder the command works on, absolute. */
  cwd: string;
  environment: NodeJS.ProcessEnv;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  now(): number;
  /** Who decides and stops: `user@host`. */
  person(): string;
  /** Starts the local server and worker where nothing runs; the server holds the sessions, so lists need it too. */
  connect(options?: { yes?: boolean; reading?: boolean }): Promise<ConnectedClient>;
  /** Whether this home can hold sessions at all, so that a first look starts nothing. */
  hasSessions(): boolean;
  /** Images of a prompt, read and made small enough; throws `UserError` for what is none, or where the model sees none. */
  images(paths: readonly string[], model: ModelSettings | undefined): Promise<ImageContent[]>;
  /** Settings of a new session; throws `UserError` where the model cannot be known. */
  settings(flags: SettingFlags, cwd: string): Promise<SessionSettings>;
  /**
   * Throws `UserError` for a model that its endpoint does not list; takes 2 s at most. Apart from `settings`, so that it can go on
   * while the server starts.
   */
  checkModel(model: SessionSettings["model"]): Promise<void>;
  /** Model settings of a name, checked with its endpoint; throws `UserError`. */
  model(name: string): Promise<SessionSettings["model"]>;
  /** What the configuration says where no flag does. */
  defaults(): Promise<{ notify: boolean; onAsk: "park" | "deny" }>;
  /** The variables of the caller that commands of the session get. */
  commandEnvironment(): Promise<Record<string, string>>;
  /** Runs the handler at a signal of the process until the returned function is called. */
  onSignal(signal: LeaveSignal, handler: () => void): () => void;
}
