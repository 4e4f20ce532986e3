/** Checking a value against JSON Schema, with reasons that a model can act on. Pure; TypeBox schemas are read the same way. */
import { numberFaults, textFaults } from "./check-scalar.ts";
import { unionFaults } from "./check-union.ts";
import { fitsType } from "./coerce-scalar.ts";
import { type Fault, joinPath, listValues, quote, withArticle } from "./fault.ts";
import { isJsonObject, type JsonObject, jsonEqual, kindOf } from "./json-value.ts";
import {
  fieldSchemas,
  itemSchema,
  maximumReferenceHops,
  requiredOf,
  resolveReference,
  type SchemaNode,
  schemaList,
  schemaNode,
  typesOf,
} from "./schema-node.ts";

/**
 * Everything in `value` that `node` does not allow; empty = it fits. `root` is the document for `$ref`; a reference that
 * dangles or only leads to itself refuses the value there and nowhere else.
 */
export function faultsOf(node: SchemaNode, value: unknown, root: JsonObject, path = "", hops = 0): Fault[] {
  if (node === true) return [];
  if (node === false) return [{ path, message: "is not allowed" }];
  const faults: Fault[] = [];
  if (typeof node.$ref === "string") {
    const target = hops < maximumReferenceHops ? resolveReference(root, node.$ref) : undefined;
    if (target === undefined) {
      return [{ path, message: `cannot be checked: the tool's schema refers to "${node.$ref}", which leads nowhere` }];
    }
    faults.push(...faultsOf(target, value, root, path, hops + 1));
  }
  const typeFault = typeMessage(node, value);
  if (typeFault) return [...faults, { path, message: typeFault }];
  const messages = [...memberMessages(node, value), ...numberFaults(node, value), ...textFaults(node, value)];
  faults.push(...messages.map((message) => ({ path, message })));
  for (const part of schemaList(node.allOf)) faults.push(...faultsOf(part, value, root, path, hops + 1));
  faults.push(...unionFaults(node, value, root, path, hops + 1));
  if (Object.hasOwn(node, "not") && faultsOf(schemaNode(node.not), value, root, path, hops + 1).length === 0) {
    faults.push({ path, message: "has a form that is not allowed" });
  }
  if (Object.hasOwn(node, "if")) {
    const holds = faultsOf(schemaNode(node.if), value, root, path, hops + 1).length === 0;
    faults.push(...faultsOf(schemaNode(holds ? node.then : node.else), value, root, path, hops + 1));
  }
  if (Array.isArray(value)) faults.push(...arrayFaults(node, value, root, path));
  else if (isJsonObject(value)) faults.push(...objectFaults(node, value, root, path));
  return faults;
}

function typeMessage(node: JsonObject, value: unknown): string | undefined {
  const types = typesOf(node);
  if (types.length === 0 || types.some((name) => fitsType(name, value))) return undefined;
  const wanted = `must be ${types.map(withArticle).join(" or ")}`;
  if (types.includes("string") && typeof value === "object" && value !== null) {
    return `${wanted}, but ${kindOf(value)} was given: send it as one string (for JSON content, the JSON text with its quotes escaped)`;
  }
  if (typeof value === "number" && types.some((name) => name === "integer")) return `${wanted}, but ${value} was given`;
  if (types.some((name) => name === "array" || name === "object") && typeof value === "string") {
    return `${wanted}, but a string was given${/^\s*[[{]/.test(value) ? " that is not valid JSON of that kind" : ""}: send it as JSON, not as text`;
  }
  return `${wanted}, but ${typeof value === "string" ? `the string ${quote(value)}` : kindOf(value)} was given`;
}

function memberMessages(node: JsonObject, value: unknown): string[] {
  if (Array.isArray(node.enum) && !node.enum.some((member) => jsonEqual(member, value))) {
    return [`must be one of ${listValues(node.enum)}, but ${quote(value)} was given`];
  }
  if (Object.hasOwn(node, "const") && !jsonEqual(node.const, value)) return [`must be ${quote(node.const)}`];
  return [];
}

const countOf = (node: JsonObject, key: string): number | undefined =>
  typeof node[key] === "number" ? node[key] : undefined;

function sizeMessages(size: number, smallest: number | undefined, largest: number | undefined, what: string): string[] {
  return [
    ...(smallest !== undefined && size < smallest ? [`must have at least ${smallest} ${what}`] : []),
    ...(largest !== undefined && size > largest ? [`must have at most ${largest} ${what}`] : []),
  ];
}

function arrayFaults(node: JsonObject, value: unknown[], root: JsonObject, path: string): Fault[] {
  const messages = sizeMessages(value.length, countOf(node, "minItems"), countOf(node, "maxItems"), "items");
  if (node.uniqueItems === true && value.some((item, at) => value.findIndex((other) => jsonEqual(other, item)) < at)) {
    messages.push("must not hold an item twice");
  }
  if (Object.hasOwn(node, "contains")) {
    const hits = value.filter((item) => faultsOf(schemaNode(node.contains), item, root).length === 0).length;
    messages.push(
      ...sizeMessages(hits, countOf(node, "minContains") ?? 1, countOf(node, "maxContains"), "fitting items"),
    );
  }
  return [
    ...messages.map((message) => ({ path, message })),
    ...value.flatMap((item, at) => faultsOf(itemSchema(node, at), item, root, joinPath(path, at))),
  ];
}

function objectFaults(node: JsonObject, value: JsonObject, root: JsonObject, path: string): Fault[] {
  const keys = Object.keys(value);
  const dependent = isJsonObject(node.dependentRequired) ? node.dependentRequired : {};
  const needed = new Set(requiredOf(node));
  for (const [key, names] of Object.entries(dependent)) {
    if (Object.hasOwn(value, key) && Array.isArray(names)) for (const name of names) needed.add(String(name));
  }
  const missing = [...needed].filter((name) => !Object.hasOwn(value, name));
  const messages = sizeMessages(keys.length, countOf(node, "minProperties"), countOf(node, "maxProperties"), "fields");
  return [
    ...missing.map((name) => ({ path: joinPath(path, name), message: `is missing${wantedKind(node, name)}` })),
    ...messages.map((message) => ({ path, message })),
    ...keys.flatMap((key) => {
      const own = fieldSchemas(node, key).flatMap((schema) => faultsOf(schema, value[key], root, joinPath(path, key)));
      if (!Object.hasOwn(node, "propertyNames")) return own;
      return [...own, ...faultsOf(schemaNode(node.propertyNames), key, root, joinPath(path, key))];
    }),
  ];
}

function wantedKind(node: JsonObject, name: string): string {
  const field =
    isJsonObject(node.properties) && Object.hasOwn(node.properties, name) ? node.properties[name] : undefined;
  const types = isJsonObject(field) ? typesOf(field) : [];
  return types.length > 0 ? ` (${types.map(withArticle).join(" or ")} is required)` : "";
}
