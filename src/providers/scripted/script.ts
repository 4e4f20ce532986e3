import { readFile } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { ToolArgumentsError, validateToolArguments } from "../../schema/validate.ts";
import { ModelError, type ModelErrorKind } from "../contract.ts";

const kinds: ModelErrorKind[] = [
  "rateLimit",
  "transient",
  "quota",
  "auth",
  "unknownModel",
  "invalid",
  "contentFilter",
  "overflow",
];
const closed = { additionalProperties: false };
const milliseconds = Type.Optional(Type.Number({ minimum: 0 }));

const answerSchema = Type.Object(
  {
    text: Type.Optional(Type.String()),
    thinking: Type.Optional(Type.String()),
    calls: Type.Optional(
      Type.Array(
        Type.Object(
          { name: Type.String(), arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
          closed,
        ),
      ),
    ),
    delayMs: milliseconds,
    chunkMs: milliseconds,
    stopReason: Type.Optional(Type.Literal("length")),
    error: Type.Optional(
      Type.Object(
        {
          kind: Type.Unsafe<ModelErrorKind>({ type: "string", enum: kinds }),
          message: Type.Optional(Type.String()),
          retryAfterMs: milliseconds,
          times: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        closed,
      ),
    ),
    expect: Type.Optional(
      Type.Object({ lastIncludes: Type.Optional(Type.String()), lastIsError: Type.Optional(Type.Boolean()) }, closed),
    ),
    usage: Type.Optional(Type.Object({ input: Type.Number(), output: Type.Number() }, closed)),
  },
  closed,
);

const scriptSchema = Type.Object({ answers: Type.Array(answerSchema) }, closed);

/** One answer of a script. Texts may hold `{{n}}`, the number of the answer from 0. */
export type ScriptedAnswer = Static<typeof answerSchema>;

/**
 * Reads a script for the offline model, `{"answers": [...]}`.
 * @throws ModelError `unknownModel` if the file is not there, `invalid` with every path and reason if it is no script.
 */
export async function readScript(file: string): Promise<ScriptedAnswer[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new ModelError("unknownModel", `the script ${file} cannot be read (${code})`, {
      next: `write the script ${file}`,
    });
  }
  try {
    return validateToolArguments({ name: file, parameters: scriptSchema }, JSON.parse(text)).answers;
  } catch (error) {
    const reasons =
      error instanceof ToolArgumentsError
        ? error.faults.slice(0, 10).map(({ path, message }) => `\n  - ${path || "script"}: ${message}`)
        : [`\n  - ${error instanceof Error ? error.message : error}`];
    throw new ModelError("invalid", `${file} is not a script for the offline model:${reasons.join("")}`);
  }
}

/** The answer with `{{n}}` replaced in each of its texts. */
export function numbered<T>(value: T, number: number): T {
  if (typeof value === "string") return value.replaceAll("{{n}}", String(number)) as T;
  if (Array.isArray(value)) return value.map((item) => numbered(item, number)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, numbered(field, number)])) as T;
}
