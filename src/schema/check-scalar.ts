/** The keywords of numbers and texts. Each function returns reasons; empty = the value fits. */
import type { JsonObject } from "./json-value.ts";
import { compilePattern, typesOf } from "./schema-node.ts";

export function numberFaults(node: JsonObject, value: unknown): string[] {
  if (typeof value !== "number") return [];
  if (!Number.isFinite(value)) return ["must be a finite number"];
  const messages: string[] = [];
  // Beyond this JSON.parse has rounded it already: the tool would act on another number than the model wrote.
  if (typesOf(node).includes("integer") && !typesOf(node).includes("number") && !Number.isSafeInteger(value)) {
    messages.push(`must lie between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);
  }
  const bounds: [string, (bound: number) => boolean, string][] = [
    ["minimum", (bound) => value >= bound, "at least"],
    ["maximum", (bound) => value <= bound, "at most"],
    ["exclusiveMinimum", (bound) => value > bound, "above"],
    ["exclusiveMaximum", (bound) => value < bound, "below"],
  ];
  for (const [keyword, holds, words] of bounds) {
    const bound = node[keyword];
    if (typeof bound === "number" && !holds(bound)) messages.push(`must be ${words} ${bound}, but ${value} was given`);
  }
  const step = node.multipleOf;
  if (typeof step === "number" && step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9) {
    messages.push(`must be a multiple of ${step}`);
  }
  return messages;
}

export function textFaults(node: JsonObject, value: unknown): string[] {
  if (typeof value !== "string") return [];
  const messages: string[] = [];
  if (typeof node.minLength === "number" || typeof node.maxLength === "number") {
    const length = [...value].length;
    if (typeof node.minLength === "number" && length < node.minLength) {
      messages.push(node.minLength === 1 ? "must not be empty" : `must have at least ${node.minLength} characters`);
    }
    if (typeof node.maxLength === "number" && length > node.maxLength) {
      messages.push(`must have at most ${node.maxLength} characters`);
    }
  }
  if (typeof node.pattern === "string") {
    const pattern = compilePattern(node.pattern);
    if (!pattern) messages.push("cannot be checked: the pattern in the tool's schema is not valid");
    else if (!pattern.test(value)) messages.push(`must match the pattern ${node.pattern}`);
  }
  return messages;
}
