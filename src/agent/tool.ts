import type { Static, TSchema } from "@sinclair/typebox";
import type { ImageContent, TextContent, Usage } from "./messages.ts";

export type ConstrainedSampling = { type: "json_schema"; strict: "prefer" | "require" };

/** Layer 1: what the model sees. `parameters` is a TypeBox schema or plain JSON Schema. */
export interface Tool<TParameters extends TSchema = TSchema> {
  name: string;
  description: string;
  parameters: TParameters;
  constrainedSampling?: false | ConstrainedSampling;
}

export type ToolExecutionMode = "sequential" | "parallel";

/**
 * What repeating a call would do.
 * - `read`: nothing; it may run again.
 * - `idempotent`: nothing more, because the tool journals its effect in `ctx.callFolder` and looks there first.
 * - `external`: harm; it is never started twice. A second attempt answers "interrupted, may have run" unless the tool
 *   sets `reattach`, which promises that `execute` with `attempt > 1` finds the first attempt's work and never starts it again.
 */
export type ToolEffect = "read" | "idempotent" | "external";

export interface AgentToolResult<TDetails = unknown> {
  content: (TextContent | ImageContent)[];
  details?: TDetails;
  usage?: Usage;
  terminate?: boolean;
  isError?: boolean;
}

/** Sends a partial result to whoever watches; each one replaces the last. Calls after `execute` settled are ignored. */
export type ToolUpdate<TDetails = unknown> = (partial: AgentToolResult<TDetails>) => void;

/** Layer 2: a tool that can run. Fails by throwing (the message is the model's result) or by `isError`, which keeps details. */
export interface AgentTool<TParameters extends TSchema = TSchema, TDetails = unknown> extends Tool<TParameters> {
  label: string;
  effect: ToolEffect;
  reattach?: boolean;
  executionMode?: ToolExecutionMode;
  /** Rewrites arguments of an older shape; returns the same reference for "unchanged". */
  prepareArguments?: (args: unknown) => unknown;
  execute(
    toolCallId: string,
    params: Static<TParameters>,
    signal: AbortSignal,
    onUpdate: ToolUpdate<TDetails>,
  ): Promise<AgentToolResult<TDetails>>;
}

/** What a tool may use of its surroundings. */
export interface ToolContext {
  sessionId: string;
  /** Absolute path of the workspace. */
  cwd: string;
  /** `<turn>.<position>`. */
  callId: string;
  /** 1 for the first try; above it, an earlier try may have done part of the work. */
  attempt: number;
  /** Environment for commands: the allow-listed variables recorded at the session's start. */
  environment: Record<string, string>;
  /** Folder of this call alone (0700), the same for each attempt: journal, spooled output, exit code. Created by the caller. */
  callFolder: string;
  /** `provider/model` that the session asks. */
  model: string;
  /** Runs `fn` while no other call of any session writes `path`. */
  withFileMutex<T>(path: string, fn: () => Promise<T>): Promise<T>;
  /** A line for the worker's log. Do not log what the model or a file says. */
  log(text: string): void;
  /** Runs a program (no shell) in the workspace with the session's environment; ends with the call. Never rejects for its exit code. */
  exec(program: string, args: string[], options?: ExecOptions): Promise<ExecResult>;
}

export interface ExecOptions {
  /** Default: the workspace. */
  cwd?: string;
  /** Milliseconds; default none. */
  timeoutMs?: number;
  /** Text for its standard input; default none. */
  input?: string;
  signal?: AbortSignal;
}

/** Output is cut at 1 MB each. `code` is null when a signal ended the program. */
export interface ExecResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What a person reads before the call runs, and what decides whether they are asked. */
export interface ToolPreview {
  /** One line without the tool's name, such as `npm test` or `src/a.ts (+3 −1)`. */
  summary: string;
  display: Display[];
  /** Files the call touches, resolved (links followed; nearest existing folder for new files). */
  paths: { path: string; access: "read" | "write" }[];
  /** Text that the digest covers besides tool and arguments: hash of the file, resolved program, … */
  digestParts: string[];
}

export type Display =
  | { kind: "command"; command: string; cwd: string }
  | { kind: "diff"; path: string; patch: string }
  | { kind: "text"; text: string };

/** What the two renderers of one call share: `renderCall` may leave something in `state` for `renderResult`. */
export interface RenderContext<TState = Record<string, unknown>> {
  state: TState;
  cwd: string;
}

/** Layer 3: what products and extensions write. `wrapToolDefinition` turns it into an `AgentTool`. */
export interface ToolDefinition<
  TParameters extends TSchema = TSchema,
  TDetails = unknown,
  TState extends Record<string, unknown> = Record<string, unknown>,
> extends Omit<AgentTool<TParameters, TDetails>, "execute"> {
  /**
   * One line for a call, without the tool's name: in the terminal, on the page and in the Temporal UI. Instead of the preview's
   * summary. Throwing, or no text, falls back to that.
   */
  renderCall?(params: Static<TParameters>, context: RenderContext<TState>): string;
  /** Text (Markdown, a few lines) that people see in place of the result's own text. Throwing falls back to the text. */
  renderResult?(result: AgentToolResult<TDetails>, context: RenderContext<TState>): string;
  /** One line for the system prompt's list of tools; without it the tool is declared to the endpoint only. */
  promptSnippet?: string;
  promptGuidelines?: string[];
  /**
   * For an `external` tool without `reattach`, when its worker died in the middle of a call: finds out what became of it, without doing
   * it again (by the call's id or what it left in `ctx.callFolder`). Returns the call's result, or nothing when that cannot be known; then,
   * and when it throws, the model reads that it may have run.
   */
  reconcile?(
    toolCallId: string,
    params: Static<TParameters>,
    signal: AbortSignal,
    ctx: ToolContext,
  ): Promise<AgentToolResult<TDetails> | undefined>;
  /** Must not change anything: it runs before approval and may run twice. Throwing answers the call with the error. */
  preview?(params: Static<TParameters>, ctx: ToolContext): Promise<ToolPreview>;
  execute(
    toolCallId: string,
    params: Static<TParameters>,
    signal: AbortSignal,
    onUpdate: ToolUpdate<TDetails>,
    ctx: ToolContext,
  ): Promise<AgentToolResult<TDetails>>;
}

/** Identity, so that `execute`'s params are inferred from `parameters`. */
export const defineTool = <TParameters extends TSchema, TDetails = unknown>(
  definition: ToolDefinition<TParameters, TDetails>,
): ToolDefinition<TParameters, TDetails> => definition;

export function wrapToolDefinition<TParameters extends TSchema, TDetails>(
  definition: ToolDefinition<TParameters, TDetails>,
  ctx: ToolContext,
): AgentTool<TParameters, TDetails> {
  return {
    ...definition,
    execute: (toolCallId, params, signal, onUpdate) => definition.execute(toolCallId, params, signal, onUpdate, ctx),
  };
}

export const textResult = (text: string): AgentToolResult => ({ content: [{ type: "text", text }] });
