import type { Static, TSchema } from "@sinclair/typebox";
import type { ToolCall } from "../agent/messages.ts";
import type { AgentTool, Tool } from "../agent/tool.ts";
import { coerceValue } from "./coerce.ts";
import { checkFor } from "./compiled-check.ts";
import type { Fault } from "./fault.ts";
import { capText, cloneJson, isJsonObject, type JsonObject, kindOf, NestingError } from "./json-value.ts";

const receivedBytes = 2 * 1024;
const shownFaults = 20;
const faultCharacters = 300;

/** The model's arguments cannot be used. `message` is the text of the error result; `faults` are its reasons. */
export class ToolArgumentsError extends Error {
  readonly faults: Fault[];
  constructor(message: string, faults: Fault[]) {
    super(message);
    this.name = "ToolArgumentsError";
    this.faults = faults;
  }
}

/**
 * The arguments to validate: a copy of the call's own (which stay as the model sent them), passed through the tool's
 * `prepareArguments`.
 * @throws ToolArgumentsError when the model's text was not one JSON object, is nested too deeply, or `prepareArguments` threw.
 */
export function prepareToolArguments(tool: Pick<AgentTool, "name" | "prepareArguments">, call: ToolCall): unknown {
  if (call.argumentsError) {
    const { message, raw } = call.argumentsError;
    throw new ToolArgumentsError(
      `The arguments of "${tool.name}" could not be read, so it was not run: ${message}\nSend the call again with one complete JSON object.\n\nReceived text:\n${capText(raw, receivedBytes)}`,
      [{ path: "", message }],
    );
  }
  const copy = copyOf(tool.name, call.arguments);
  if (!tool.prepareArguments) return copy;
  try {
    return tool.prepareArguments(copy);
  } catch (error) {
    throw refusal(
      tool.name,
      [{ path: "", message: error instanceof Error ? error.message : String(error) }],
      call.arguments,
    );
  }
}

/**
 * The arguments converted to and checked against the tool's schema. `args` is not changed.
 * @param received what the error shows as received: the model's own arguments when `args` were rewritten.
 * @throws ToolArgumentsError with every path and reason and the received arguments, cut to 2 KB.
 */
export function validateToolArguments<TParameters extends TSchema>(
  tool: Pick<Tool<TParameters>, "name" | "parameters">,
  args: unknown,
  received: unknown = args,
): Static<TParameters> {
  if (!isJsonObject(args)) {
    throw refusal(tool.name, [{ path: "", message: `must be an object, but ${kindOf(args)} was given` }], received);
  }
  const schema: JsonObject = tool.parameters;
  const converted = coerceValue(schema, copyOf(tool.name, args), schema);
  const faults = checkFor(tool.parameters)(converted);
  if (faults.length > 0) throw refusal(tool.name, faults, received);
  return converted as Static<TParameters>;
}

function copyOf(toolName: string, args: unknown): unknown {
  try {
    return cloneJson(args);
  } catch (error) {
    if (!(error instanceof NestingError)) throw error;
    // The value itself is not shown: printing it would recurse as deeply as copying it.
    throw refusal(toolName, [{ path: "", message: error.message }], undefined);
  }
}

function refusal(toolName: string, faults: Fault[], received: unknown): ToolArgumentsError {
  const unique = [...new Map(faults.map((fault) => [`${fault.path}\n${fault.message}`, fault])).values()];
  const lines = unique.slice(0, shownFaults).map(({ path, message }) => {
    const line = `  - ${path === "" ? "arguments" : path}: ${message}`;
    return line.length > faultCharacters * 2 ? `${line.slice(0, faultCharacters * 2)}…` : line;
  });
  if (unique.length > shownFaults) lines.push(`  - … and ${unique.length - shownFaults} more`);
  const shown = received === undefined ? "" : `\n\nReceived arguments:\n${capText(asText(received), receivedBytes)}`;
  const text = `The arguments of "${toolName}" do not fit its schema, so it was not run:\n${lines.join("\n")}`;
  return new ToolArgumentsError(capText(text, receivedBytes - 256) + shown, unique);
}

function asText(value: unknown): string {
  try {
    // JSON would show numbers out of range as null and hide what was wrong.
    const shown = JSON.stringify(
      value,
      (_key, field) => (Number.isFinite(field) || typeof field !== "number" ? field : String(field)),
      2,
    );
    return shown ?? String(value);
  } catch {
    return "(cannot be shown)";
  }
}
