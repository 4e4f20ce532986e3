import { parseJsonText } from "../../schema/json-text.ts";
import { cloneJson, isJsonObject, kindOf } from "../../schema/json-value.ts";

export type ParsedArguments =
  | { arguments: Record<string, unknown> }
  | { arguments: Record<string, never>; argumentsError: { message: string; raw: string } };

const maximumRawCharacters = 8_192;

/**
 * The arguments of a call from their whole text: parsed exactly after harmless repairs, never completed or guessed.
 * No text is `{}`. Anything but one JSON object is an `argumentsError` with the raw text (its first 8 KB).
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { arguments: {} };
  const failed = (message: string): ParsedArguments => ({
    arguments: {},
    argumentsError: { message, raw: text.slice(0, maximumRawCharacters) },
  });
  try {
    let value = parseJsonText(text);
    // Some gateways encode the object's text once more.
    if (typeof value === "string" && value.trimStart().startsWith("{")) value = parseJsonText(value);
    if (!isJsonObject(value)) return failed(`the arguments must be a JSON object, but they are ${kindOf(value)}`);
    // Stored as JSON such a number would turn into null, which means "left out".
    if (!allFinite(value)) return failed("a number is too large to be represented");
    // No file name, command or text file can hold one; the engine's payloads cannot either.
    if (holdsNul(value)) return failed("a text holds a NUL character");
    return { arguments: cloneJson(value) };
  } catch (error) {
    return failed(
      `the arguments are not one complete JSON object (${error instanceof Error ? error.message.slice(0, 200) : error})`,
    );
  }
}

const holdsNul = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\0")
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).some(([key, entry]) => key.includes("\0") || holdsNul(entry));

const allFinite = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isFinite(value)
    : typeof value !== "object" || value === null || Object.values(value).every(allFinite);
