/**
 * Deep conversion of a model's arguments towards a JSON Schema. It does the work of TypeBox's `Value.Convert` for both
 * kinds of schema, because that turns null into text, cuts fractions and converts union values that already fit.
 * What it cannot convert it leaves for the check to name.
 */
import { faultsOf } from "./check.ts";
import { convertScalar, convertToMember, fitsType } from "./coerce-scalar.ts";
import { parseJsonText } from "./json-text.ts";
import { cloneJson, isJsonObject, type JsonObject } from "./json-value.ts";
import {
  fieldSchemas,
  itemSchema,
  maximumReferenceHops,
  requiredOf,
  resolveReference,
  type SchemaNode,
  schemaList,
  typesOf,
} from "./schema-node.ts";

/** Converts `value`, which it may change in place, and returns the result. `root` is the document for `$ref`. */
export function coerceValue(node: SchemaNode, value: unknown, root: JsonObject, hops = 0): unknown {
  if (typeof node === "boolean" || hops > maximumReferenceHops) return value;
  let result = value;
  if (typeof node.$ref === "string") {
    const target = resolveReference(root, node.$ref);
    if (target !== undefined) result = coerceValue(target, result, root, hops + 1);
  }
  for (const part of schemaList(node.allOf)) result = coerceValue(part, result, root, hops + 1);
  const members = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, "const") ? [node.const] : undefined;
  if (members) result = convertToMember(members, result);
  else result = coerceToType(node, result, root, hops);
  for (const arms of [schemaList(node.anyOf), schemaList(node.oneOf)]) {
    if (arms.length > 0) result = coerceToUnion(arms, result, root, hops + 1);
  }
  if (Array.isArray(result)) {
    return result.map((item, at) => coerceValue(itemSchema(node, at), item, root));
  }
  if (isJsonObject(result)) coerceFields(node, result, root);
  return result;
}

function coerceToType(node: JsonObject, value: unknown, root: JsonObject, hops: number): unknown {
  const types = typesOf(node);
  if (value === null || types.length === 0 || types.some((name) => fitsType(name, value))) return value;
  for (const name of types) {
    const converted =
      name === "array"
        ? toArray(node, value, root, hops)
        : name === "object"
          ? unpackJsonText("object", value)
          : convertScalar(name, value);
    if (fitsType(name, converted)) return converted;
  }
  return value;
}

/**
 * The list that a JSON text holds, else a list of the single value. A text is wrapped only if it then fits: an unreadable
 * list is better reported where it stands than as its own first item.
 */
function toArray(node: JsonObject, value: unknown, root: JsonObject, hops: number): unknown {
  const unpacked = unpackJsonText("array", value);
  if (Array.isArray(unpacked) || isJsonObject(value)) return Array.isArray(unpacked) ? unpacked : [value];
  const item = itemSchema(node, 0);
  // Wrapping goes no deeper into the value, so a recursive schema must use up its hops quickly here.
  const coerced = coerceValue(item, value, root, hops + 5);
  return faultsOf(item, coerced, root).length === 0 ? [coerced] : value;
}

/** The array or object that the whole text holds; a text that merely begins like one stays text. */
function unpackJsonText(wanted: "array" | "object", value: unknown): unknown {
  if (typeof value !== "string" || !value.trimStart().startsWith(wanted === "array" ? "[" : "{")) return value;
  try {
    const parsed = cloneJson(parseJsonText(value));
    return fitsType(wanted, parsed) ? parsed : value;
  } catch {
    return value;
  }
}

/** A value that fits one arm is kept as it is; otherwise the first arm it can be converted to decides. */
function coerceToUnion(arms: SchemaNode[], value: unknown, root: JsonObject, hops: number): unknown {
  if (arms.some((arm) => faultsOf(arm, value, root).length === 0)) return value;
  for (const arm of arms) {
    const candidate = coerceValue(arm, cloneJson(value), root, hops);
    if (faultsOf(arm, candidate, root).length === 0) return candidate;
  }
  return value;
}

function coerceFields(node: JsonObject, fields: JsonObject, root: JsonObject): void {
  const declared = isJsonObject(node.properties) ? node.properties : {};
  const required = requiredOf(node);
  for (const [key, value] of Object.entries(fields)) {
    const schemas = fieldSchemas(node, key);
    const optional = Object.hasOwn(declared, key) && !required.includes(key);
    // Strict sampling makes models write null for what they leave out.
    if (value === null && optional && schemas.some((schema) => faultsOf(schema, null, root).length > 0)) {
      delete fields[key];
      continue;
    }
    fields[key] = schemas.reduce((current: unknown, schema) => coerceValue(schema, current, root), value);
  }
}
