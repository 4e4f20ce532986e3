import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface InstantModel {
  baseUrl: string;
  /** Resolves at the next chat request, with `performance.now()` of its arrival. */
  nextRequest(): Promise<number>;
  close(): Promise<void>;
}

export interface Script {
  /** Answers with calls before the answer that ends the session. */
  turns: number;
  callsPerTurn: number;
  /** File that each call reads. */
  file: string;
}

/** OpenAI-compatible endpoint that answers at once: what is left of a turn is the product's own time. */
export async function startInstantModel(script: Script): Promise<InstantModel> {
  let arrived: ((time: number) => void)[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "instant", object: "model" }] }));
      return;
    }
    const time = performance.now();
    for (const resolve of arrived) resolve(time);
    arrived = [];
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { messages } = JSON.parse(Buffer.concat(parts).toString("utf8")) as { messages: { role: string }[] };
    const turn = messages.filter(({ role }) => role === "assistant").length;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunksOf(turn, script)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    nextRequest: () => new Promise((resolve) => arrived.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function chunksOf(turn: number, { turns, callsPerTurn, file }: Script): object[] {
  const calls = Array.from({ length: callsPerTurn }, (_, index) => ({
    index,
    id: `call_${turn}_${index}`,
    type: "function",
    function: { name: "read", arguments: JSON.stringify({ path: file }) },
  }));
  const last = turn >= turns;
  const delta = last ? { role: "assistant", content: "Done." } : { role: "assistant", content: "", tool_calls: calls };
  const base = { id: `answer_${turn}`, object: "chat.completion.chunk", created: 0, model: "instant" };
  return [
    { ...base, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: last ? "stop" : "tool_calls" }] },
    { ...base, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
  ];
}
