import { cloneJson, isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import { requiredOf, typesOf } from "../../schema/schema-node.ts";

/** A schema that strict sampling cannot express; `message` names the keyword and where it stands. */
export class StrictSchemaError extends Error {}

const refusedKeywords = [
  "$ref",
  "allOf",
  "oneOf",
  "not",
  "if",
  "prefixItems",
  "patternProperties",
  "dependentRequired",
];
/** Keywords that strict samplers refuse and that the check enforces anyway. */
const droppedKeywords = [
  "default",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "uniqueItems",
  "$schema",
  "$id",
  "title",
];

/**
 * A copy for strict sampling: every property required, optional ones "or null", no additional ones. The nulls that come
 * back for optional properties are dropped by validation.
 * @throws StrictSchemaError when a keyword has no strict form.
 */
export const strictSchema = (schema: unknown): JsonObject => {
  const copy: unknown = cloneJson(schema);
  if (!isJsonObject(copy) || copy.type !== "object")
    throw new StrictSchemaError("the parameters must be an object schema");
  return strictNode(copy, "parameters");
};

function strictNode(node: unknown, path: string): JsonObject {
  if (!isJsonObject(node)) throw new StrictSchemaError(`${path} has no schema of its own`);
  const refused = refusedKeywords.find((keyword) => Object.hasOwn(node, keyword));
  if (refused) throw new StrictSchemaError(`${path} uses ${refused}, which strict sampling does not support`);
  for (const keyword of droppedKeywords) delete node[keyword];
  if (Array.isArray(node.anyOf)) {
    node.anyOf = node.anyOf.map((arm, at) => strictNode(arm, `${path}.anyOf.${at}`));
    return node;
  }
  if (Object.hasOwn(node, "const")) {
    node.enum = [node.const];
    delete node.const;
  }
  const types = typesOf(node);
  if (types.length === 0 && !Array.isArray(node.enum)) throw new StrictSchemaError(`${path} has no type`);
  if (types.includes("array")) {
    if (Array.isArray(node.items))
      throw new StrictSchemaError(`${path} is a tuple, which strict sampling does not support`);
    node.items = strictNode(node.items, `${path}.items`);
  }
  return types.includes("object") ? strictObject(node, path) : node;
}

function strictObject(node: JsonObject, path: string): JsonObject {
  if (node.additionalProperties !== undefined && node.additionalProperties !== false) {
    throw new StrictSchemaError(`${path} allows additional properties, which strict sampling does not support`);
  }
  const required = requiredOf(node);
  const properties = isJsonObject(node.properties) ? node.properties : {};
  for (const [name, field] of Object.entries(properties)) {
    const strict = strictNode(field, `${path}.${name}`);
    properties[name] = required.includes(name) ? strict : orNull(strict);
  }
  return { ...node, properties, required: Object.keys(properties), additionalProperties: false };
}

function orNull(node: JsonObject): JsonObject {
  const types = typesOf(node);
  if (types.includes("null")) return node;
  if (Array.isArray(node.anyOf)) {
    const accepts = node.anyOf.some((arm) => isJsonObject(arm) && typesOf(arm).includes("null"));
    return accepts ? node : { ...node, anyOf: [...node.anyOf, { type: "null" }] };
  }
  const values = Array.isArray(node.enum) ? { enum: [...node.enum, null] } : {};
  return types.length > 0 ? { ...node, type: [...types, "null"], ...values } : { ...node, ...values };
}
