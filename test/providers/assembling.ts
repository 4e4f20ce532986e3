/** Builders for tests of stream assembly: pieces of calls as they stand on the wire, and whole runs of chunks. */
import { toolCallsOf } from "../../src/agent/messages.ts";
import type { StreamDelta } from "../../src/providers/contract.ts";
import { AnswerAssembly } from "../../src/providers/openai-completions/assemble.ts";
import { chunk } from "../support/model-server.ts";

export const of = { provider: "p", model: "m", timestamp: 1 };
export type Piece = [index: number | undefined, more: { id?: string; name?: string; args?: unknown }];

export function assemble(chunks: unknown[], how = {}) {
  const assembly = new AnswerAssembly();
  const deltas: StreamDelta[] = [];
  for (const one of chunks) deltas.push(...assembly.add(one));
  return { message: assembly.finish(of, how), deltas };
}

export const piece = ([index, { id, name, args }]: Piece) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
export const calls = (pieces: Piece[], finish = "tool_calls") => {
  const chunks = [...pieces.map((one) => chunk({ tool_calls: [piece(one)] })), chunk({}, finish)];
  return toolCallsOf(assemble(chunks).message).map(({ id, name, arguments: args, argumentsError }) =>
    argumentsError ? { id, name, error: argumentsError.message } : { id, name, args },
  );
};
export const a = { id: "a", name: "read", args: { path: "1" } };
export const b = { id: "b", name: "read", args: { path: "2" } };
