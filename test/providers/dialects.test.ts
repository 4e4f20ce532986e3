// Streams in the shape in which hosts send them (`fixtures/*.txt`; those of llama-cpp-python are recorded), each with the message it must give (`*.json`); whole, then
// cut by the network anywhere and with what proxies add. Cases 10, 14, 16, 19, 20, 23, 25; F15; D1–D6.
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AssistantMessage } from "../../src/agent/messages.ts";
import { ModelError, type StreamDelta } from "../../src/providers/contract.ts";
import { streamAssistant } from "../../src/providers/index.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { seededRandom, splitBytes } from "./splits.ts";

const folder = new URL("fixtures/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const dialects = readdirSync(folder)
  .filter((file) => file.endsWith(".txt"))
  .map((file) => {
    const name = file.replace(/\.txt$/, "");
    return { name, stream: read(file), right: JSON.parse(read(`${name}.json`)) as Record<string, unknown> };
  });

const request = {
  provider: "test",
  model: "asked",
  systemPrompt: "",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }], timestamp: 1 }],
  tools: [],
  thinking: "off" as const,
};

/** Line breaks of a small model stand unescaped in its texts. */
const argumentsOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replaceAll("\n", "\\n"));
  }
};

let server: ModelServer | undefined;
afterEach(async () => {
  vi.unstubAllGlobals();
  await server?.close();
  server = undefined;
});

/** The message, or `{ error: kind }`; and the texts that its deltas give for each block. */
async function outcome(baseUrl: string): Promise<{ got: unknown; shown: Map<number, string> }> {
  const shown = new Map<number, string>();
  const onDelta = ({ index, delta }: StreamDelta) => shown.set(index, (shown.get(index) ?? "") + delta);
  try {
    const message = await streamAssistant({ ...request, baseUrl }, { signal: new AbortController().signal, onDelta });
    return { got: { ...message, timestamp: 0 }, shown };
  } catch (error) {
    if (error instanceof ModelError) return { got: { error: error.kind }, shown };
    throw error;
  }
}

/** The same through a network that cuts the bytes exactly so. */
async function outcomeOf(pieces: Uint8Array[]): Promise<unknown> {
  const body = new ReadableStream({
    start(controller) {
      for (const bytes of pieces) controller.enqueue(bytes);
      controller.close();
    },
  });
  const headers = { "content-type": "text/event-stream" };
  vi.stubGlobal("fetch", async () => new Response(body, { headers }));
  return (await outcome("http://127.0.0.1:9/v1")).got;
}

it("there are dialects of at least eight hosts", () => {
  expect(new Set(dialects.map(({ name }) => name.split("-")[0])).size).toBeGreaterThanOrEqual(8);
});

describe.each(dialects)("$name", ({ stream, right }) => {
  it("gives its message over HTTP, and the deltas give the same texts (D1)", async () => {
    server = await startModelServer(() => ({ body: stream, headers: { "content-type": "text/event-stream" } }));
    const { got, shown } = await outcome(server.url);
    expect(got).toMatchObject(right);
    if ("error" in right) return;
    const { content } = got as AssistantMessage;
    const texts = content.map((block) =>
      block.type === "toolCall" ? block.arguments : block.type === "text" ? block.text : block.thinking,
    );
    expect(
      [...shown.values()].map((text, at) => (content[at]?.type === "toolCall" ? argumentsOf(text) : text)),
    ).toEqual(texts);
  });

  it("gives the same however the network cuts it, one byte at a time too (case 23, F15)", async () => {
    const bytes = new TextEncoder().encode(stream);
    const whole = await outcomeOf([bytes]);
    expect(whole).toMatchObject(right);
    expect(await outcomeOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
    const random = seededRandom(7);
    for (let round = 0; round < 20; round++) expect(await outcomeOf(splitBytes(bytes, random))).toEqual(whole);
  });

  it("gives the same with what servers and proxies add between events (F15)", async () => {
    const encode = (text: string) => new TextEncoder().encode(text);
    const random = seededRandom(11);
    const whole = await outcomeOf([encode(stream)]);
    const added = [": ping\n\n", ":\n\n", "\n", "event: message\n", "id: 7\n", "retry: 3000\n\n", "data: {}\n\n"];
    const forms: ((text: string) => string)[] = [
      (text) => text.replaceAll("\n", "\r\n"),
      (text) => text.replaceAll("\n", "\r"),
      (text) => text.replaceAll("data: ", "data:"),
      (text) => `\uFEFF${text}`,
      (text) => text.replace(/^data: /gm, () => `${added[random(added.length)]}data: `),
      (text) => text.replace(/^data: /gm, () => `${added[random(added.length)]}data: `).replaceAll("\n", "\r\n"),
      (text) => text.replace(/\n+$/, ""),
      (text) => text.replace("data: [DONE]\n\n", ""),
    ];
    for (const form of forms) {
      const bytes = encode(form(stream));
      expect(await outcomeOf([bytes])).toEqual(whole);
      expect(await outcomeOf(splitBytes(bytes, random))).toEqual(whole);
    }
  });
});

// F14: a stream of any dialect that ends before its finish reason is a failed attempt; no call of it runs.
describe("cut anywhere", () => {
  const valid = dialects.filter(({ right }) => !("error" in right));
  it.each(valid)("$name: whole or transient, never something between (F14)", async ({ stream }) => {
    const bytes = new TextEncoder().encode(stream);
    const whole = (await outcomeOf([bytes])) as AssistantMessage;
    const random = seededRandom(13);
    for (let round = 0; round < 20; round++) {
      const got = (await outcomeOf([bytes.subarray(0, random(bytes.length))])) as Partial<AssistantMessage>;
      if ("error" in got) expect(got).toEqual({ error: "transient" });
      else expect(got.content).toEqual(whole.content);
    }
  });
});
