/** anyOf and oneOf: whether one arm fits, and which arm's reasons help the model most when none does. */
import { faultsOf } from "./check.ts";
import { type Fault, listValues, quote, withArticle } from "./fault.ts";
import { isJsonObject, type JsonObject, kindOf } from "./json-value.ts";
import { type SchemaNode, schemaList, typesOf } from "./schema-node.ts";

export function unionFaults(node: JsonObject, value: unknown, root: JsonObject, path: string, hops: number): Fault[] {
  const faults: Fault[] = [];
  const anyOf = schemaList(node.anyOf);
  const oneOf = schemaList(node.oneOf);
  for (const arms of [anyOf, oneOf]) {
    if (arms.length === 0) continue;
    const results = arms.map((arm) => faultsOf(arm, value, root, path, hops));
    const fitting = results.filter((result) => result.length === 0).length;
    if (fitting === 0) faults.push(...explain(arms, results, value, path));
    else if (arms === oneOf && fitting > 1) {
      faults.push({ path, message: `must fit exactly one of ${arms.length} forms, but fits ${fitting}` });
    }
  }
  return faults;
}

function explain(arms: SchemaNode[], results: Fault[][], value: unknown, path: string): Fault[] {
  const constants = arms.map((arm) => (isJsonObject(arm) && Object.hasOwn(arm, "const") ? arm.const : undefined));
  if (!constants.includes(undefined)) {
    return [{ path, message: `must be one of ${listValues(constants)}, but ${describe(value)} was given` }];
  }
  // An arm whose own kind is right tells where inside the value the fault lies.
  const inside = results.filter((result) => result.every((fault) => fault.path !== path));
  const best = inside.sort((a, b) => a.length - b.length)[0];
  if (best) return best;
  const kinds = [...new Set(arms.flatMap((arm) => (isJsonObject(arm) ? typesOf(arm) : [])))];
  if (kinds.length === 0) return results[0] ?? [];
  const messages = results.flat().filter((fault) => fault.path === path && !fault.message.startsWith("must be a"));
  const reason = messages[0] ? ` (${messages[0].message})` : "";
  return [
    { path, message: `must be ${kinds.map(withArticle).join(" or ")}, but ${describe(value)} was given${reason}` },
  ];
}

const describe = (value: unknown): string => (typeof value === "object" ? kindOf(value) : quote(value));
