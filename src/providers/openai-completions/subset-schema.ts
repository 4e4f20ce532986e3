import { isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import { requiredOf, resolveReference, typesOf } from "../../schema/schema-node.ts";

const keptKeywords = ["description", "enum", "minimum", "maximum", "minItems", "maxItems"];

/**
 * The schema as hosts with a small dialect take it: types, properties, required, items, enums. References are written out,
 * allOf is merged, constants become enums, and of other unions the first arm that is not null is declared. The check
 * still uses the whole schema.
 */
export const subsetSchema = (schema: JsonObject): JsonObject => {
  const node = subsetNode(schema, schema, 0);
  return { ...node, type: "object", properties: isJsonObject(node.properties) ? node.properties : {} };
};

function subsetNode(value: unknown, root: JsonObject, depth: number): JsonObject {
  if (!isJsonObject(value) || depth > 16) return {};
  const node = merged(value, root, depth);
  const result: JsonObject = {};
  for (const keyword of keptKeywords) if (Object.hasOwn(node, keyword)) result[keyword] = node[keyword];
  if (Object.hasOwn(node, "const")) result.enum = [node.const];
  const type = typesOf(node).find((name) => name !== "null");
  if (type) result.type = type;
  if (isJsonObject(node.properties)) {
    const fields = Object.entries(node.properties);
    result.type = "object";
    result.properties = Object.fromEntries(fields.map(([name, field]) => [name, subsetNode(field, root, depth + 1)]));
    const required = requiredOf(node);
    if (required.length > 0) result.required = required;
  }
  if (type === "array") {
    const [first] = Array.isArray(node.prefixItems) ? node.prefixItems : [];
    result.items = subsetNode(Array.isArray(node.items) ? node.items[0] : (node.items ?? first), root, depth + 1);
  }
  return result;
}

/** The node with what its `$ref`, allOf and union stand for folded in. */
function merged(node: JsonObject, root: JsonObject, depth: number): JsonObject {
  if (depth > 16) return node;
  const parts: unknown[] = Array.isArray(node.allOf) ? [...node.allOf] : [];
  if (typeof node.$ref === "string") parts.push(resolveReference(root, node.$ref));
  const arms = (Array.isArray(node.anyOf) ? node.anyOf : Array.isArray(node.oneOf) ? node.oneOf : []).filter(
    isJsonObject,
  );
  const constants = arms.filter((arm) => Object.hasOwn(arm, "const"));
  if (arms.length > 0 && constants.length === arms.length) {
    parts.push({ type: typeof constants[0]!.const, enum: constants.map((arm) => arm.const) });
  } else {
    parts.push(arms.find((arm) => arm.type !== "null"));
  }
  const result: JsonObject = { ...node };
  for (const part of parts.filter(isJsonObject)) {
    const other = merged(part, root, depth + 1);
    const properties = { ...(other.properties as JsonObject), ...(result.properties as JsonObject) };
    const required = [...new Set([...requiredOf(other), ...requiredOf(result)])];
    Object.assign(result, { ...other, ...result }, Object.keys(properties).length > 0 ? { properties } : {}, {
      required,
    });
  }
  return result;
}
