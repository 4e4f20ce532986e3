/** Conversions of single values. Each returns the value unchanged where no conversion is meant. */
import { jsonEqual } from "./json-value.ts";

/** What fits the JSON Schema type `name` as it is. */
export function fitsType(name: string, value: unknown): boolean {
  switch (name) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === name;
  }
}

/** A number from its text, `"true"` and booleans included; `null` stays: it never becomes 0. */
function toNumber(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return value;
  const text = value.trim().toLowerCase();
  if (text === "true" || text === "false") return text === "true" ? 1 : 0;
  const number = Number(text);
  return Number.isFinite(number) ? number : value;
}

function toBoolean(value: unknown): unknown {
  const text = String(value).trim().toLowerCase();
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : value;
}

/** The value as the scalar type `name`, or unchanged. Fractions are never cut to whole numbers. */
export function convertScalar(name: string, value: unknown): unknown {
  switch (name) {
    case "number":
      return toNumber(value);
    case "integer": {
      const number = toNumber(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    case "boolean":
      return toBoolean(value);
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    case "null":
      return typeof value === "string" && value.trim().toLowerCase() === "null" ? null : value;
    default:
      return value;
  }
}

/** The member of an enum that `value` means: itself, else the one with the same text (`"2"` for 2). */
export function convertToMember(members: readonly unknown[], value: unknown): unknown {
  if (members.some((member) => jsonEqual(member, value))) return value;
  if (typeof value === "object") return value;
  const text = String(value).trim();
  const found = members.find(
    (member) =>
      typeof member !== "object" &&
      (String(member) === text || (typeof member === "boolean" && `${member}` === text.toLowerCase())),
  );
  return found ?? value;
}
