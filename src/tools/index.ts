import type { ToolDefinition } from "../agent/tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

/** The tools that every session has, in the order they are shown. */
export function builtInTools(): ToolDefinition[] {
  // Each tool's parameters are a type of its own; whoever runs them checks the arguments against the schema first.
  return [readTool, bashTool, editTool, writeTool, grepTool, findTool, lsTool] as unknown as ToolDefinition[];
}
