import { isJsonObject, type JsonObject } from "./json-value.ts";
import { compilePattern, maximumReferenceHops, resolveReference, typesOf } from "./schema-node.ts";

const maximumCharacters = 1024 * 1024;
const typeNames = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const shownFaults = 10;

/**
 * Why a tool with this schema must be refused when it is registered; empty = it may be used. A reference that dangles is
 * no reason: it refuses values at its place only.
 */
export function schemaFaults(schema: unknown): string[] {
  if (!isJsonObject(schema)) return ["the parameters must be a schema object"];
  let size: number;
  try {
    size = JSON.stringify(schema).length;
  } catch {
    return ["the schema contains itself and cannot be sent"];
  }
  if (size > maximumCharacters) return [`the schema has ${size} characters; at most ${maximumCharacters} are sent`];
  const faults: string[] = [];
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes("object")) faults.push("the parameters must be of type object");
  visit(schema, "parameters", schema, faults);
  return faults.slice(0, shownFaults);
}

function visit(node: unknown, path: string, root: JsonObject, faults: string[]): void {
  if (!isJsonObject(node)) return;
  for (const name of typesOf(node)) if (!typeNames.has(name)) faults.push(`${path} has the unknown type "${name}"`);
  if (typeof node.pattern === "string" && !compilePattern(node.pattern)) faults.push(`${path} has an invalid pattern`);
  if (typeof node.$ref === "string" && isLoop(node.$ref, root))
    faults.push(`${path}: "${node.$ref}" refers only to itself`);
  for (const keyword of ["properties", "patternProperties", "$defs", "definitions"]) {
    const children = node[keyword];
    if (children !== undefined && !isJsonObject(children)) faults.push(`${path}.${keyword} must be an object`);
    for (const [name, child] of isJsonObject(children) ? Object.entries(children) : []) {
      visit(child, `${path}.${name}`, root, faults);
    }
  }
  for (const keyword of ["allOf", "anyOf", "oneOf", "prefixItems"]) {
    const children = node[keyword];
    if (children !== undefined && !Array.isArray(children)) faults.push(`${path}.${keyword} must be a list`);
    for (const [at, child] of Array.isArray(children) ? children.entries() : []) {
      visit(child, `${path}.${keyword}.${at}`, root, faults);
    }
  }
  for (const keyword of ["items", "additionalProperties", "not"])
    visit(node[keyword], `${path}.${keyword}`, root, faults);
}

function isLoop(start: string, root: JsonObject): boolean {
  let reference = start;
  for (let hops = 0; hops < maximumReferenceHops; hops++) {
    const target = resolveReference(root, reference);
    if (!isJsonObject(target) || typeof target.$ref !== "string") return false;
    reference = target.$ref;
  }
  return true;
}
