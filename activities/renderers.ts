import type { AgentToolResult, ToolDefinition } from "../src/agent/tool.ts";
import { limits } from "../src/protocol/limits.ts";
import { truncateToBytes } from "./truncate-bytes.ts";

const keptStates = 1_000;
const renderedBytes = 8 * 1024;

/**
 * State that the renderers of a call share, kept by the worker from the preflight to the result. A worker that comes later
 * starts with an empty one: it is for looks only.
 */
export class RenderStates {
  readonly #states = new Map<string, Record<string, unknown>>();

  of(key: string): Record<string, unknown> {
    const known = this.#states.get(key) ?? {};
    this.#states.set(key, known);
    if (this.#states.size > keptStates) this.#states.delete(this.#states.keys().next().value!);
    return known;
  }

  take(key: string): Record<string, unknown> {
    const known = this.#states.get(key) ?? {};
    this.#states.delete(key);
    return known;
  }
}

/** The tool's own line for a call; undefined where it has none or its renderer throws. */
export function renderedCall(
  tool: ToolDefinition,
  args: Record<string, unknown>,
  context: { state: Record<string, unknown>; cwd: string },
): string | undefined {
  return guarded(() => tool.renderCall?.(args, context))
    ?.replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, limits.summaryCharacters);
}

/** The tool's own text for a result; undefined where it has none or its renderer throws. */
export function renderedResult(
  tool: ToolDefinition,
  result: AgentToolResult,
  context: { state: Record<string, unknown>; cwd: string },
): string | undefined {
  const text = guarded(() => tool.renderResult?.(result, context));
  return text === undefined ? undefined : truncateToBytes(text, renderedBytes);
}

function guarded(render: () => string | undefined): string | undefined {
  try {
    const text = render();
    return typeof text === "string" && text.trim() !== "" ? text : undefined;
  } catch {
    return undefined;
  }
}
