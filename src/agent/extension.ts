import type { TSchema } from "@sinclair/typebox";
import type { AgentEvent } from "./events.ts";
import type { AfterToolCall, BeforeToolCall, Named } from "./hooks.ts";
import type { AgentToolResult, ToolContext, ToolDefinition, ToolPreview, ToolUpdate } from "./tool.ts";

/** What listeners hear: the starts and ends of calls, in the worker that runs them. */
export type ExtensionEvent = Extract<AgentEvent, { type: "tool_execution_start" | "tool_execution_end" }>;

/** A tool whose parameters are plain JSON Schema: checked and converted alike, but its params have no type of their own. */
export type PlainToolDefinition = Omit<ToolDefinition, "parameters" | "execute" | "preview"> & {
  parameters: Record<string, unknown>;
  preview?(params: Record<string, unknown>, ctx: ToolContext): Promise<ToolPreview>;
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: ToolUpdate,
    ctx: ToolContext,
  ): Promise<AgentToolResult>;
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
  listeners: Named<{ type: ExtensionEvent["type"]; listener: (event: ExtensionEvent, sessionId: string) => void }>[];
}

export const nothingRegistered = (): Registered => ({ tools: [], before: [], after: [], listeners: [] });
