import type { IncomingMessage } from "node:http";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";
import { HttpError } from "./http-error.ts";
import { parseStrictJson } from "./strict-json.ts";

const bytesAtMost = 512 * 1024;
/** Of a key that is not known an error names this much. Characters. */
const keyAtMost = 100;

/** 413 by what the sender says of its length, before a byte is read. */
export function checkLength(incoming: IncomingMessage): void {
  if (Number(incoming.headers["content-length"] ?? 0) > bytesAtMost) throw tooLarge();
}

/** The body as the schema has it; HttpError 400 or 413 names what is wrong, never what was sent. */
export async function readBody<T extends TSchema>(incoming: IncomingMessage, schema: T): Promise<Static<T>> {
  return checkBody(parseStrictJson(await readText(incoming)), schema);
}

export function checkBody<T extends TSchema>(value: unknown, schema: T): Static<T> {
  for (const error of Value.Errors(schema, value)) {
    const key = error.path.slice(1, keyAtMost).replaceAll("/", ".");
    if (error.type === ValueErrorType.ObjectAdditionalProperties) throw new HttpError(400, `unknown key "${key}"`);
    if (error.type === ValueErrorType.ObjectRequiredProperty) throw new HttpError(400, `"${key}" is missing`);
    const allowed = (error.schema.anyOf as { const?: unknown }[] | undefined)?.map((one) => one.const);
    const words = allowed?.every((one) => typeof one === "string")
      ? `must be one of ${allowed.join(", ")}`
      : (error.schema.description ?? `: ${error.message.toLowerCase()}`);
    throw new HttpError(400, key === "" ? `the body: ${words}` : `"${key}" ${words}`);
  }
  return value as Static<T>;
}

async function readText(incoming: IncomingMessage): Promise<string> {
  checkLength(incoming);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // By events: leaving a loop over the stream would cut the connection before the answer.
  await new Promise<void>((resolve, reject) => {
    const stop = (error: Error) => {
      incoming.off("data", take).pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesAtMost) stop(tooLarge());
      else chunks.push(chunk);
    };
    incoming.on("data", take);
    incoming.once("end", resolve);
    incoming.once("error", () => stop(new HttpError(400, "the body ended too early")));
    incoming.once("aborted", () => stop(new HttpError(400, "the body ended too early")));
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new HttpError(400, "the body is not UTF-8");
  }
}

const tooLarge = (): HttpError =>
  new HttpError(413, `the body is larger than ${bytesAtMost / 1024} KB`, { headers: { Connection: "close" } });
