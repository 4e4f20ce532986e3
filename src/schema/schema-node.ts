/** Reading JSON Schema: TypeBox schemas are JSON Schema too, so one reader serves both. */
import { isJsonObject, type JsonObject } from "./json-value.ts";

/** A schema as found inside another one; anything that is no schema accepts everything, as `true` does. */
export type SchemaNode = JsonObject | boolean;

/** More hops than this through `$ref` without going deeper into the value is a loop. */
export const maximumReferenceHops = 16;

export const schemaNode = (value: unknown): SchemaNode =>
  typeof value === "boolean" ? value : isJsonObject(value) ? value : true;

export const schemaList = (value: unknown): SchemaNode[] => (Array.isArray(value) ? value.map(schemaNode) : []);

/** Names in `type` (one or a list), with `null` added for OpenAPI's `nullable`. Empty = every type. */
export function typesOf(schema: JsonObject): string[] {
  const names = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const types = names.filter((name): name is string => typeof name === "string");
  return schema.nullable === true && types.length > 0 ? [...types, "null"] : types;
}

export const requiredOf = (schema: JsonObject): string[] =>
  Array.isArray(schema.required) ? schema.required.filter((name): name is string => typeof name === "string") : [];

/** The schemas that apply to an array's item at `at`: tuples by position, then the schema for the rest. */
export function itemSchema(schema: JsonObject, at: number): SchemaNode {
  const tuple = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : [];
  if (at < tuple.length) return schemaNode(tuple[at]);
  return schemaNode(Array.isArray(schema.items) ? schema.additionalItems : schema.items);
}

/** The schemas that apply to the field `key`: its own, those of matching patterns, else the one for additional fields. */
export function fieldSchemas(schema: JsonObject, key: string): SchemaNode[] {
  const found: SchemaNode[] = [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  if (Object.hasOwn(properties, key)) found.push(schemaNode(properties[key]));
  const patterns = isJsonObject(schema.patternProperties) ? schema.patternProperties : {};
  for (const [pattern, node] of Object.entries(patterns)) {
    if (compilePattern(pattern)?.test(key)) found.push(schemaNode(node));
  }
  return found.length > 0 ? found : [schemaNode(schema.additionalProperties)];
}

/** The regular expression of a schema, or undefined if this engine cannot read it. */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Patterns written for other engines often fail only under the stricter `u` flag.
    }
  }
  return undefined;
}

const identified = new WeakMap<JsonObject, Map<string, JsonObject>>();

/** Schemas of the document by `$id` and by their name in `$defs` or `definitions`. */
function namesIn(root: JsonObject): Map<string, JsonObject> {
  const known = identified.get(root);
  if (known) return known;
  const names = new Map<string, JsonObject>();
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    if (isJsonObject(node)) {
      if (typeof node.$id === "string" && !names.has(node.$id)) names.set(node.$id, node);
      for (const holder of [node.$defs, node.definitions]) {
        for (const [name, target] of isJsonObject(holder) ? Object.entries(holder) : []) {
          if (isJsonObject(target) && !names.has(name)) names.set(name, target);
        }
      }
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(root);
  identified.set(root, names);
  return names;
}

/** The schema that `reference` names inside `root`: `#`, `#/a/b`, an `$id`, or a name in `$defs`. Undefined if it dangles. */
export function resolveReference(root: JsonObject, reference: string): SchemaNode | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/"))
    return namesIn(root).get(reference) ?? namesIn(root).get(reference.replace(/^#/, ""));
  let node: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodePointer(part);
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as JsonObject)[key];
  }
  return typeof node === "boolean" || isJsonObject(node) ? node : undefined;
}

function decodePointer(part: string): string {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
