/**
 * What extensions import from `tempi`. Everything else in this package may change without notice; this surface is guarded by
 * `docs/api-report.txt`.
 */
export { type Static, type TSchema, Type } from "@sinclair/typebox";
export type { Extension, ExtensionApi, ExtensionEvent, PlainToolDefinition } from "./agent/extension.ts";
export type {
  AfterToolCall,
  AfterToolCallEvent,
  AfterToolCallResult,
  BeforeToolCall,
  BeforeToolCallEvent,
  BeforeToolCallResult,
  HookContext,
} from "./agent/hooks.ts";
export type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./agent/messages.ts";
export {
  type AgentTool,
  type AgentToolResult,
  type ConstrainedSampling,
  type Display,
  defineTool,
  type ExecOptions,
  type ExecResult,
  type RenderContext,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolEffect,
  type ToolExecutionMode,
  type ToolPreview,
  type ToolUpdate,
  textResult,
  wrapToolDefinition,
} from "./agent/tool.ts";
