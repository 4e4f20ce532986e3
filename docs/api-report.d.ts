// src/index.ts
/**
 * What extensions import from `tempi`. Everything else in this package may change without notice; this surface is guarded by
 * `docs/api-report.d.ts`.
 */
export { type Static, type TSchema, Type } from "@sinclair/typebox";
export type { Extension, ExtensionApi, ExtensionEvent, PlainToolDefinition } from "./agent/extension.ts";
export type { AfterToolCall, AfterToolCallEvent, AfterToolCallResult, BeforeToolCall, BeforeToolCallEvent, BeforeToolCallResult, HookContext, } from "./agent/hooks.ts";
export type { AssistantMessage, ImageContent, Message, TextContent, ThinkingContent, ToolCall, ToolResultMessage, Usage, UserMessage, } from "./agent/messages.ts";
export { type AgentTool, type AgentToolResult, type ConstrainedSampling, type Display, defineTool, type ExecOptions, type ExecResult, type Tool, type ToolContext, type ToolDefinition, type ToolEffect, type ToolExecutionMode, type ToolPreview, type ToolUpdate, textResult, wrapToolDefinition, } from "./agent/tool.ts";

// src/agent/tool.ts
import type { Static, TSchema } from "@sinclair/typebox";
import type { ImageContent, TextContent, Usage } from "./messages.ts";
export type ConstrainedSampling = {
    type: "json_schema";
    strict: "prefer" | "require";
};
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
    execute(toolCallId: string, params: Static<TParameters>, signal: AbortSignal, onUpdate: ToolUpdate<TDetails>): Promise<AgentToolResult<TDetails>>;
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
    paths: {
        path: string;
        access: "read" | "write";
    }[];
    /** Text that the digest covers besides tool and arguments: hash of the file, resolved program, … */
    digestParts: string[];
}
export type Display = {
    kind: "command";
    command: string;
    cwd: string;
} | {
    kind: "diff";
    path: string;
    patch: string;
} | {
    kind: "text";
    text: string;
};
/** Layer 3: what products and extensions write. `wrapToolDefinition` turns it into an `AgentTool`. */
export interface ToolDefinition<TParameters extends TSchema = TSchema, TDetails = unknown> extends Omit<AgentTool<TParameters, TDetails>, "execute"> {
    /** One line for the system prompt's list of tools; without it the tool is declared to the endpoint only. */
    promptSnippet?: string;
    promptGuidelines?: string[];
    /** Must not change anything: it runs before approval and may run twice. Throwing answers the call with the error. */
    preview?(params: Static<TParameters>, ctx: ToolContext): Promise<ToolPreview>;
    execute(toolCallId: string, params: Static<TParameters>, signal: AbortSignal, onUpdate: ToolUpdate<TDetails>, ctx: ToolContext): Promise<AgentToolResult<TDetails>>;
}
/** Identity, so that `execute`'s params are inferred from `parameters`. */
export declare const defineTool: <TParameters extends TSchema, TDetails = unknown>(definition: ToolDefinition<TParameters, TDetails>) => ToolDefinition<TParameters, TDetails>;
export declare function wrapToolDefinition<TParameters extends TSchema, TDetails>(definition: ToolDefinition<TParameters, TDetails>, ctx: ToolContext): AgentTool<TParameters, TDetails>;
export declare const textResult: (text: string) => AgentToolResult;

// src/agent/extension.ts
import type { TSchema } from "@sinclair/typebox";
import type { AgentEvent } from "./events.ts";
import type { AfterToolCall, BeforeToolCall, Named } from "./hooks.ts";
import type { AgentToolResult, ToolContext, ToolDefinition, ToolPreview, ToolUpdate } from "./tool.ts";
/** What listeners hear: the starts and ends of calls, in the worker that runs them. */
export type ExtensionEvent = Extract<AgentEvent, {
    type: "tool_execution_start" | "tool_execution_end";
}>;
/** A tool whose parameters are plain JSON Schema: checked and converted alike, but its params have no type of their own. */
export type PlainToolDefinition = Omit<ToolDefinition, "parameters" | "execute" | "preview"> & {
    parameters: Record<string, unknown>;
    preview?(params: Record<string, unknown>, ctx: ToolContext): Promise<ToolPreview>;
    execute(toolCallId: string, params: Record<string, unknown>, signal: AbortSignal, onUpdate: ToolUpdate, ctx: ToolContext): Promise<AgentToolResult>;
};
/**
 * What an extension's default export is called with, once for each version of its file. Everything is registered before the
 * function returns (or its promise resolves).
 */
export interface ExtensionApi {
    /** Adds a tool; one with the name of a built-in replaces it. */
    registerTool<TParameters extends TSchema, TDetails>(tool: ToolDefinition<TParameters, TDetails>): void;
    registerTool(tool: PlainToolDefinition): void;
    beforeToolCall(hook: BeforeToolCall): void;
    afterToolCall(hook: AfterToolCall): void;
    /** Listeners are told and not awaited; what they throw is logged. */
    on(type: ExtensionEvent["type"], listener: (event: ExtensionEvent, sessionId: string) => void): void;
}
export type Extension = (tempi: ExtensionApi) => void | Promise<void>;
/** All that the loaded extensions registered, in load order. */
export interface Registered {
    tools: Named<ToolDefinition>[];
    before: Named<BeforeToolCall>[];
    after: Named<AfterToolCall>[];
    listeners: Named<{
        type: ExtensionEvent["type"];
        listener: (event: ExtensionEvent, sessionId: string) => void;
    }>[];
}
export declare const nothingRegistered: () => Registered;

// src/agent/hooks.ts
import type { AssistantMessage, Message, ToolCall } from "./messages.ts";
import type { AgentToolResult } from "./tool.ts";
/** What a hook sees of the session. The messages are read when asked for; they are never copied into history. */
export interface HookContext {
    sessionId: string;
    /** Absolute path of the workspace. */
    cwd: string;
    /** `provider/model` that is asked. */
    model: string;
    /** The conversation up to and including the assistant message, in order. Do not change it. */
    messages(): Promise<Message[]>;
}
export interface BeforeToolCallEvent {
    assistantMessage: AssistantMessage;
    toolCall: ToolCall;
    /** Checked and converted. Return changed arguments instead of changing these. */
    args: Record<string, unknown>;
    context: HookContext;
}
/**
 * - `block`: the call is not run; the reason is its error result.
 * - `ask`: a person is asked, whatever the approval level.
 * - `args`: runs with these instead, after they passed the schema and the policy again; later hooks see them.
 */
export type BeforeToolCallResult = {
    block: true;
    reason?: string;
} | {
    ask: {
        reason: string;
    };
} | {
    args: Record<string, unknown>;
};
/** Runs before a call, maybe twice (a retry, edited arguments): it must bear that. Throwing means the call is not run. */
export type BeforeToolCall = (event: BeforeToolCallEvent, signal: AbortSignal) => Promise<BeforeToolCallResult | undefined> | BeforeToolCallResult | undefined;
export interface AfterToolCallEvent extends BeforeToolCallEvent {
    result: AgentToolResult;
    isError: boolean;
}
/** Whole fields that replace the result's; absent ones stay. No deep merge. */
export type AfterToolCallResult = Partial<Pick<AgentToolResult, "content" | "details" | "usage" | "terminate" | "isError">>;
/** Runs after a call that was executed, also after a failed one. Throwing replaces the result by the error. */
export type AfterToolCall = (event: AfterToolCallEvent, signal: AbortSignal) => Promise<AfterToolCallResult | undefined> | AfterToolCallResult | undefined;
/** A hook and who registered it, for error texts. */
export interface Named<T> {
    from: string;
    run: T;
}
export type BeforeOutcome = {
    kind: "block";
    reason: string;
}
/** `asked`: reasons of hooks that want a person. `changed`: whether `args` are not what was given. */
 | {
    kind: "go";
    args: Record<string, unknown>;
    changed: boolean;
    asked: string[];
};
/**
 * Runs before-hooks in load order. The first block ends it; what asks is collected; changed arguments are checked by `recheck`
 * (which throws what the model shall read) before the next hook sees them.
 */
export declare function runBeforeHooks(hooks: Named<BeforeToolCall>[], event: BeforeToolCallEvent, signal: AbortSignal, recheck: (args: Record<string, unknown>) => Record<string, unknown>): Promise<BeforeOutcome>;
/** Runs after-hooks in load order on a copy of the result; one that throws replaces it by the error, and the rest still run. */
export declare function runAfterHooks(hooks: Named<AfterToolCall>[], event: AfterToolCallEvent, signal: AbortSignal): Promise<AgentToolResult>;

// src/agent/messages.ts
/** The messages of a conversation, in Pi's shapes. Plain JSON: they cross Temporal and files unchanged. */
export interface TextContent {
    type: "text";
    text: string;
}
/** Reasoning of the model. `field` is the name it had on the wire (`reasoning_content`, …), kept for replay. */
export interface ThinkingContent {
    type: "thinking";
    thinking: string;
    field?: string;
}
/** `data` is base64. */
export interface ImageContent {
    type: "image";
    data: string;
    mimeType: string;
}
export interface ToolCall {
    type: "toolCall";
    /** The provider's id: data only, it may be empty, repeated or huge. Ours is `<turn>.<position>` (`callIdOf`). */
    id: string;
    name: string;
    /** What the model sent, never what validation made of it. */
    arguments: Record<string, unknown>;
    /** Set when the arguments text was not one JSON object; such a call is answered with this error and not run. */
    argumentsError?: {
        message: string;
        raw: string;
    };
    thoughtSignature?: string;
}
/** Token counts. `input` excludes cached tokens. `cost` in US dollars, absent when the price is unknown. */
export interface Usage {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    cost?: number;
}
export interface UserMessage {
    role: "user";
    content: (TextContent | ImageContent)[];
    /** Milliseconds since 1970. */
    timestamp: number;
}
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";
export interface AssistantMessage {
    role: "assistant";
    content: (TextContent | ThinkingContent | ToolCall)[];
    provider: string;
    /** The model that was asked. */
    model: string;
    /** The model that answered, when the endpoint says another name. */
    responseModel?: string;
    responseId?: string;
    usage: Usage;
    stopReason: StopReason;
    errorMessage?: string;
    timestamp: number;
}
export interface ToolResultMessage<TDetails = unknown> {
    role: "toolResult";
    /** The provider's id of the call, as in `ToolCall.id`. */
    toolCallId: string;
    toolName: string;
    content: (TextContent | ImageContent)[];
    details?: TDetails;
    usage?: Usage;
    isError: boolean;
    timestamp: number;
}
export type Message = UserMessage | AssistantMessage | ToolResultMessage;
/** A message with the id that the activity attempt (or the prompt's sender) gave it. */
export interface StoredMessage<M extends Message = Message> {
    id: string;
    message: M;
}
export declare const noUsage: () => Usage;
/** Sum of two usages; the cost is known only if a part of it is. */
export declare function addUsage(a: Usage, b: Usage): Usage;
export declare const toolCallsOf: (message: AssistantMessage) => ToolCall[];
/** Text of all text blocks, joined by newlines. */
export declare const textOf: (content: readonly {
    type: string;
}[]) => string;
