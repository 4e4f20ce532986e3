/** TypeBox's compiled check, cached per schema object. It adds what only TypeBox kinds know to our own check. */
import { Kind, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { faultsOf } from "./check.ts";
import type { Fault } from "./fault.ts";
import type { JsonObject } from "./json-value.ts";

type Check = (value: unknown) => Fault[];

const checks = new WeakMap<object, Check>();

/** The check of a tool's schema; made once per schema object, so tools should keep their schema in a constant. */
export function checkFor(schema: TSchema | JsonObject): Check {
  const known = checks.get(schema);
  if (known) return known;
  const root = schema as JsonObject;
  const typebox = Kind in schema ? compileTypeBox(schema as TSchema) : undefined;
  const check: Check = (value) => {
    const faults = faultsOf(root, value, root);
    return faults.length > 0 || !typebox ? faults : typebox(value);
  };
  checks.set(schema, check);
  return check;
}

function compileTypeBox(schema: TSchema): Check | undefined {
  let compiled: TypeCheck<TSchema> | undefined;
  try {
    compiled = TypeCompiler.Compile(schema);
  } catch {
    // A dangling reference (ours refuses only there) or a place without code generation: the slow check may still do.
  }
  return (value) => {
    try {
      if (compiled ? compiled.Check(value) : Value.Check(schema, value)) return [];
      const errors = [...(compiled ? compiled.Errors(value) : Value.Errors(schema, value))];
      // Formats are annotations here: TypeBox refuses every text of a format nobody registered.
      return errors
        .filter((error) => error.type !== ValueErrorType.StringFormatUnknown)
        .map((error) => ({ path: error.path.replace(/^\//, "").replaceAll("/", "."), message: error.message }));
    } catch {
      return [];
    }
  };
}
