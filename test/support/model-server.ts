/** A chat-completions server on 127.0.0.1, scripted by a function and as strict as a strict provider about calls and results. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

// biome-ignore lint/suspicious/noExplicitAny: wire data of any shape is the point of a test server.
export type WireData = any;

export interface SeenRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body: model, messages, tools, … */
  body: WireData;
}

/** What to answer. Without `body` the chunks are streamed as server-sent events. */
export interface ModelServerAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A whole body instead of chunks, such as an error or raw event text. */
  body?: string | Uint8Array;
  /** Data of the events, in order; a text is sent as an event's raw data. */
  chunks?: unknown[];
  /** The closing `[DONE]`; default true. */
  done?: boolean;
  /** What happens after the last byte: a clean end (default), a cut connection, or silence. */
  end?: "close" | "destroy" | "hang";
  /** Milliseconds before the first byte, and between events. */
  delayMs?: number;
  chunkDelayMs?: number;
  /** Cuts the bytes into network writes of this size, with a pause after each. */
  writeBytes?: number;
  writeDelayMs?: number;
}

export type ModelServerHandler = (
  request: SeenRequest,
  number: number,
) => ModelServerAnswer | Promise<ModelServerAnswer>;

export interface ModelServer {
  /** Base URL, ending in `/v1`. */
  url: string;
  /** Every request for an answer that came, refused ones included. */
  requests: SeenRequest[];
  /** Every request for the list of models. */
  listings: SeenRequest[];
  close(): Promise<void>;
}

/**
 * Starts the server. A request whose calls and results do not pair is answered with 400 and never reaches the handler.
 * `list` answers those for the list of models; without it there is none (404).
 */
export async function startModelServer(
  handler: ModelServerHandler,
  list: ModelServerHandler = () => ({ status: 404, body: "{}" }),
): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const listings: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      const body: WireData = JSON.parse(Buffer.concat(parts).toString() || "{}");
      const seen: SeenRequest = { path: request.url ?? "", headers: request.headers, body };
      if (request.method === "GET" && seen.path === "/v1/models") {
        listings.push(seen);
        return await respond(response, await list(seen, listings.length)).catch(() => response.destroy());
      }
      requests.push(seen);
      const fault = pairingFault(body.messages ?? []);
      const refusal = {
        status: 400,
        body: JSON.stringify({ error: { message: fault, type: "invalid_request_error" } }),
      };
      await respond(response, fault ? refusal : await handler(seen, requests.length)).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    listings,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(response: ServerResponse, answer: ModelServerAnswer): Promise<void> {
  if (answer.delayMs) await sleep(answer.delayMs);
  const isStream = answer.body === undefined;
  const type = isStream ? "text/event-stream" : "application/json";
  response.writeHead(answer.status ?? 200, { "content-type": type, ...answer.headers });
  response.flushHeaders();
  const events = (answer.chunks ?? []).map(
    (chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  if (isStream && answer.done !== false) events.push("data: [DONE]\n\n");
  for (const part of isStream ? events : [answer.body!]) {
    await write(response, Buffer.from(part as string), answer);
    if (answer.chunkDelayMs) await sleep(answer.chunkDelayMs);
  }
  if (answer.end === "destroy") response.destroy();
  else if (answer.end !== "hang") response.end();
}

async function write(response: ServerResponse, bytes: Buffer, answer: ModelServerAnswer): Promise<void> {
  const size = answer.writeBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
    if (answer.writeDelayMs) await sleep(answer.writeDelayMs);
    if (response.destroyed) return;
  }
}

/** What a strict provider says of a conversation; undefined = it is in order. */
export function pairingFault(messages: WireData[]): string | undefined {
  const open: string[] = [];
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      const at = open.indexOf(message.tool_call_id);
      if (at === -1) return `tool message for the unknown id "${message.tool_call_id}"`;
      if (typeof message.content !== "string" || message.content.trim() === "") return "tool message without content";
      open.splice(at, 1);
      continue;
    }
    if (open.length > 0) return `calls without a result: ${open.join(", ")}`;
    for (const call of message.tool_calls ?? []) {
      if (typeof call.id !== "string" || call.id === "") return "call without an id";
      if (seen.has(call.id)) return `the id "${call.id}" is used twice`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function?.name ?? "")) return `bad function name "${call.function?.name}"`;
      if (typeof JSON.parse(call.function.arguments) !== "object") return "arguments are no object";
      seen.add(call.id);
      open.push(call.id);
    }
    if (message.role === "assistant" && !message.tool_calls && !message.content) return "empty assistant message";
  }
  return open.length > 0 ? `calls without a result: ${open.join(", ")}` : undefined;
}

/** A chunk with one choice. */
export const chunk = (delta: WireData, finish: string | null = null, more: WireData = {}): WireData => ({
  id: "answer-1",
  object: "chat.completion.chunk",
  model: "test-model",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** A whole answer of text. */
export const textAnswer = (text: string): ModelServerAnswer => ({
  chunks: [chunk({ role: "assistant", content: text }), chunk({}, "stop"), { ...chunk({}), choices: [], usage }],
});

/** A whole answer of tool calls, after an optional text. */
export const callsAnswer = (
  calls: { name: string; arguments: unknown; id?: string }[],
  { text = "", finish = "tool_calls" }: { text?: string; finish?: string } = {},
): ModelServerAnswer => ({
  chunks: [
    chunk({ role: "assistant", content: text }),
    ...calls.map((call, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: call.id ?? `call_${index}`,
            type: "function",
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          },
        ],
      }),
    ),
    chunk({}, finish),
    { ...chunk({}), choices: [], usage },
  ],
});

/** The list of models in OpenAI's shape. */
export const modelList = (...models: (string | { id: string; [key: string]: unknown })[]): ModelServerAnswer => ({
  body: JSON.stringify({
    object: "list",
    data: models.map((model) => (typeof model === "string" ? { id: model, object: "model" } : model)),
  }),
});
