import type { Tool } from "../../agent/tool.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import { ModelError } from "../contract.ts";
import type { CompatFlags } from "./compat.ts";
import { StrictSchemaError, strictSchema } from "./strict-schema.ts";
import { subsetSchema } from "./subset-schema.ts";

/** A tool as chat completions declare it. `strict` only where the endpoint supports it: others refuse unknown fields. */
export interface WireTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonObject; strict?: boolean };
}

/**
 * The `tools` list of a request. A TypeBox schema is JSON Schema and passes through.
 * @throws ModelError `invalid` for a tool that requires strict sampling where the endpoint or its schema rules it out.
 */
export function convertTools(tools: readonly Tool[], compat: CompatFlags): WireTool[] {
  return tools.map((tool) => {
    const strict = strictParameters(tool, compat);
    const parameters: JsonObject = strict ?? (compat.schemaSubset ? subsetSchema(tool.parameters) : tool.parameters);
    return {
      type: "function",
      function: {
        name: tool.name,
        description: tool.description,
        parameters,
        ...(compat.strictTools ? { strict: strict !== undefined } : {}),
      },
    };
  });
}

function strictParameters(
  { name, parameters, constrainedSampling }: Tool,
  compat: CompatFlags,
): JsonObject | undefined {
  if (!constrainedSampling) return undefined;
  const required = constrainedSampling.strict === "require";
  if (!compat.strictTools) {
    if (!required) return undefined;
    throw new ModelError(
      "invalid",
      `the tool "${name}" requires strict sampling, which this endpoint does not support`,
    );
  }
  try {
    return strictSchema(parameters);
  } catch (error) {
    if (!(error instanceof StrictSchemaError) || !required) return undefined;
    throw new ModelError("invalid", `the tool "${name}" requires strict sampling, but ${error.message}`);
  }
}
