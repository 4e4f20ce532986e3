// Whole sessions against a strict endpoint that streams its calls in one odd way each: every call runs once or not at all as it
// must, and no request is refused for its pairing (cases 10, 11, 13, 14, 16, 20, 22, 25, 26, 3.17).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { streamAssistant } from "../../src/providers/index.ts";
import { chunk, type ModelServerAnswer, startModelServer, textAnswer, type WireData } from "../support/model-server.ts";
import { resultTexts, TestSessions } from "../support/sessions.ts";

interface Quirk {
  index?: (at: number) => unknown;
  id?: (turn: number, at: number, part: number, last: boolean) => string | undefined;
  argumentsOf?: (text: string) => unknown[];
  finish?: string;
  inLastChunk?: WireData;
}

const cut = (text: string): string[] => [text.slice(0, 7), text.slice(7, 12), text.slice(12)];
const usual: Required<Pick<Quirk, "index" | "id" | "argumentsOf" | "finish">> = {
  index: (at) => at,
  id: (turn, at, part) => (part === 0 ? `call_${turn}_${at}` : undefined),
  argumentsOf: cut,
  finish: "tool_calls",
};
const usage = { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 60 };

const quirks: Record<string, Quirk> = {
  none: {},
  "same-index": { index: () => 0 },
  "no-index": { index: () => undefined },
  "index-as-text": { index: String },
  "id-every-piece": { id: (turn, at) => `call_${turn}_${at}` },
  "id-late": { id: (turn, at, _part, last) => (last ? `call_${turn}_${at}` : undefined) },
  "id-changes": { id: (turn, at, part) => `call_${turn}_${at}_${part}` },
  "id-restarts": { id: (_turn, at, part) => (part === 0 ? `bash:${at}` : undefined) },
  "id-empty": { id: () => "" },
  "id-twice": { id: (_turn, _at, part) => (part === 0 ? "dup" : undefined) },
  "object-arguments": { argumentsOf: (text) => [JSON.parse(text)] },
  "finish-stop": { finish: "stop" },
  "finish-unknown": { finish: "who_knows" },
  "usage-in-choice": { inLastChunk: { usage } },
  "null-content": { inLastChunk: { delta: { content: null } } },
};
/** What must not run, though it looks like calls. */
const refused: Record<string, Quirk & { says: RegExp }> = {
  length: { finish: "length", says: /again/i },
  "cut-json": { argumentsOf: (text) => cut(text.slice(0, -2)), says: /not one complete JSON object/ },
};

function callsOf(quirk: Quirk, turn: number, command: (at: number) => string): ModelServerAnswer {
  const { index, id, argumentsOf, finish } = { ...usual, ...quirk };
  const pieces = [0, 1].flatMap((at) =>
    argumentsOf(JSON.stringify({ command: command(at) })).map((args, part, all) =>
      chunk({
        tool_calls: [
          {
            index: index(at),
            id: id(turn, at, part, part === all.length - 1),
            function: { ...(part === 0 ? { name: "bash" } : {}), arguments: args },
          },
        ],
      }),
    ),
  );
  const last = chunk({}, finish);
  Object.assign(last.choices[0], quirk.inLastChunk);
  return { chunks: [chunk({ role: "assistant", content: "" }), ...pieces, last] };
}

it("each of two turns of two calls, however they are streamed", { timeout: 90_000 }, async () => {
  const all: Record<string, Quirk> = { ...quirks, ...refused };
  const server = await startModelServer(({ body }) => {
    const name: string = body.model;
    const results = body.messages.filter(({ role }: { role: string }) => role === "tool").length;
    if (results >= 4) return textAnswer(`done after ${results} calls`);
    return callsOf(all[name]!, results / 2, (at) => `echo ${results + at} >> ${name}.log`);
  });
  const sessions = await TestSessions.start({ stream: streamAssistant, requests: [] });
  const ended = await Promise.all(
    Object.keys(all).map(async (name) => {
      const id = await sessions.run("go", { model: { provider: "odd", model: name, baseUrl: server.url } });
      await sessions.untilState(id, "idle");
      return { name, messages: (await sessions.client.account(id)).messages.map(({ message }) => message) };
    }),
  );
  for (const { name, messages } of ended) {
    expect(messages.at(-1), name).toMatchObject({ content: [{ text: "done after 4 calls" }] });
    const log = join(sessions.workspace, `${name}.log`);
    const says = refused[name]?.says;
    if (says) {
      expect(existsSync(log), name).toBe(false);
      for (const text of resultTexts(messages)) expect(text).toMatch(says);
    } else {
      const lines = readFileSync(log, "utf8").trim().split("\n").sort();
      expect(lines, name).toEqual(["0", "1", "2", "3"]);
    }
  }
  const counted = ended.find(({ name }) => name === "usage-in-choice")?.messages[1];
  expect(counted).toMatchObject({ usage: { input: 40, cacheRead: 60, output: 5 } });
  // Three requests for each, none refused and none repeated.
  expect(server.requests).toHaveLength(3 * Object.keys(all).length);
  await server.close();
});
