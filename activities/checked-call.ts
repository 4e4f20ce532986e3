import { createHash } from "node:crypto";
import type { ToolCall } from "../src/agent/messages.ts";
import type { ToolContext, ToolDefinition, ToolPreview } from "../src/agent/tool.ts";
import { scriptParts } from "../src/policy/scripts.ts";
import { prepareToolArguments, validateToolArguments } from "../src/schema/validate.ts";

/** A call that passed lookup, argument preparation and the schema; nothing ran. */
export interface CheckedCall {
  tool: ToolDefinition;
  args: Record<string, unknown>;
}

/** Looks the call up among the tools the model was offered, and checks its arguments. Throws what the model shall read. */
export function checkCall(tools: ToolDefinition[], offered: string[], call: ToolCall): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name && offered.includes(name));
  if (!tool) {
    const names = offered.length > 0 ? offered.join(", ") : "none";
    throw new Error(`There is no tool "${call.name.slice(0, 200)}". Tools you can call: ${names}.`);
  }
  const args = validateToolArguments(tool, prepareToolArguments(tool, call), call.arguments);
  return { tool, args: args as Record<string, unknown> };
}

/**
 * A preview, for tools that have none too: name and arguments, as they would run. Of a command line the files that hold its
 * meaning (`package.json` for `npm test`) belong to what was shown.
 */
export async function previewOf({ tool, args }: CheckedCall, context: ToolContext): Promise<ToolPreview> {
  if (tool.preview) {
    const preview = await tool.preview(args, context);
    if (tool.name !== "bash" || typeof args.command !== "string") return preview;
    const scripts = await scriptParts(args.command, context.cwd);
    return { ...preview, digestParts: [...preview.digestParts, ...scripts] };
  }
  const text = JSON.stringify(args, null, 2);
  return { summary: "", display: [{ kind: "text", text }], paths: [], digestParts: [] };
}

/** What was shown is what runs: tool, checked arguments, folder, and what the tool adds (file hash, PATH, program). Hex. */
export function digestOf({ tool, args }: CheckedCall, preview: ToolPreview, cwd: string): string {
  const text = JSON.stringify(["tempi-call-1", tool.name, sorted(args), cwd, preview.digestParts]);
  return createHash("sha256").update(text).digest("hex");
}

/** The same value with sorted keys, so that equal arguments have equal text. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}
