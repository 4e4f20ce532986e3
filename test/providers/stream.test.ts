// Real HTTP on 127.0.0.1 with the real SDK: what the wire can do to a stream (cases 19, 23, 55, 56; F14–F17; B07).
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { toolCallsOf } from "../../src/agent/messages.ts";
import { ModelError, type ModelRequest, type StreamDelta } from "../../src/providers/contract.ts";
import { streamAssistant } from "../../src/providers/index.ts";
import {
  callsAnswer,
  chunk,
  type ModelServer,
  type ModelServerAnswer,
  startModelServer,
  textAnswer,
} from "../support/model-server.ts";

const key = "sk-test-0123456789abcdef";
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(answer: ModelServerAnswer, more: Partial<ModelRequest> = {}, signal = new AbortController().signal) {
  server ??= await startModelServer(() => answer);
  const deltas: StreamDelta[] = [];
  const message = await streamAssistant(
    {
      provider: "test",
      model: "test-model",
      baseUrl: server.url,
      apiKey: key,
      keyVariable: "TEST_KEY",
      systemPrompt: "",
      messages: [{ role: "user", content: [{ type: "text", text: "go" }], timestamp: 1 }],
      tools: [],
      thinking: "off",
      ...more,
    },
    { signal, onDelta: (delta) => deltas.push(delta) },
  );
  return { message, deltas };
}

async function failure(answer: ModelServerAnswer, more: Partial<ModelRequest> = {}): Promise<ModelError> {
  try {
    await ask(answer, more);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

const events = (...data: unknown[]) =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
const raw = (body: string | Uint8Array, more: ModelServerAnswer = {}): ModelServerAnswer => ({
  body,
  headers: { "content-type": "text/event-stream" },
  ...more,
});

describe("whole answers", () => {
  it("text with usage, streamed", async () => {
    const { message, deltas } = await ask(textAnswer("hello"));
    expect(message).toMatchObject({
      content: [{ type: "text", text: "hello" }],
      stopReason: "stop",
      usage: { input: 100, output: 20 },
    });
    expect(message.responseModel).toBeUndefined();
    expect(deltas).toEqual([{ index: 0, kind: "text", delta: "hello" }]);
    expect(server?.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(server?.requests[0]?.path).toBe("/v1/chat/completions");
  });

  it("case 23: characters survive a network cut after every byte", async () => {
    const answer = callsAnswer([{ name: "write", arguments: { content: "中文内容 🙂" } }], { text: "中文内容 🙂" });
    const { message } = await ask({ ...answer, writeBytes: 1 });
    expect(message.content[0]).toEqual({ type: "text", text: "中文内容 🙂" });
    expect(toolCallsOf(message)[0]?.arguments).toEqual({ content: "中文内容 🙂" });
  });

  it("case 19: keep-alives, choices null, comments, CRLF, other fields, no space after data:", async () => {
    const body =
      ": keep-alive\r\n\r\n" +
      `event: message\r\nid: 1\r\nretry: 5\r\ndata:${JSON.stringify(chunk({ content: "a" }))}\r\n\r\n` +
      events({}, chunk({ content: "b" }, "stop"), {
        choices: null,
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }) +
      ": OPENROUTER PROCESSING\n\n" +
      events("[DONE]");
    const { message } = await ask(raw(body));
    expect(message).toMatchObject({ content: [{ type: "text", text: "ab" }], usage: { input: 3, output: 1 } });
  });

  it("a finish reason is the end, with or without [DONE], usage or a clean close", async () => {
    for (const more of [{ done: false }, { done: false, end: "destroy" as const }]) {
      const { message } = await ask({
        chunks: [chunk({ content: "all" }), chunk({}, "stop")],
        chunkDelayMs: 5,
        ...more,
      });
      expect(message.stopReason).toBe("stop");
      await server?.close();
      server = undefined;
    }
  });

  it("a host that ignores stream and sends one JSON answer", async () => {
    const body = JSON.stringify(
      {
        id: "x",
        choices: [{ index: 0, message: { role: "assistant", content: "hi\nthere" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 5, completion_tokens: 2 },
      },
      null,
      2,
    );
    const { message } = await ask({ body });
    expect(message).toMatchObject({ content: [{ type: "text", text: "hi\nthere" }], usage: { input: 5 } });
  });

  it("one huge event", async () => {
    const { message } = await ask(callsAnswer([{ name: "write", arguments: { content: "x".repeat(3_000_000) } }]));
    expect(toolCallsOf(message)[0]?.arguments.content).toHaveLength(3_000_000);
  });

  it("a model that does not stop is cut as if its limit were reached", async () => {
    const { message } = await ask({
      chunks: Array.from({ length: 60 }, () => chunk({ content: "x".repeat(100_000) })),
      end: "hang",
    });
    expect(message.stopReason).toBe("length");
  });

  it("nothing of the environment goes to the host", async () => {
    process.env.OPENAI_ORG_ID = "org-secret";
    process.env.OPENAI_PROJECT_ID = "project-secret";
    process.env.OPENAI_API_KEY = "sk-environment";
    try {
      await ask(textAnswer("x"), { apiKey: undefined as never });
      expect(JSON.stringify(server?.requests[0]?.headers)).not.toMatch(/secret|environment/);
      expect(server?.requests[0]?.headers.authorization).toBeUndefined();
    } finally {
      for (const name of ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"]) delete process.env[name];
    }
  });
});

describe("F14: cut streams", () => {
  const whole = events(
    chunk({ content: "text 中" }),
    chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: '{"command":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"ls"}' } }] }),
  );
  const bytes = Buffer.from(whole);
  const cuts = Array.from({ length: 24 }, (_, at) => Math.floor((bytes.length * at) / 23));

  test.each(cuts)("after %i bytes: transient, whether closed or destroyed", async (at) => {
    for (const end of ["close", "destroy"] as const) {
      const error = await failure(raw(bytes.subarray(0, at), { end }));
      expect(error.kind).toBe("transient");
      expect(error.message).toContain("127.0.0.1");
      await server?.close();
      server = undefined;
    }
  });
});

describe("F15: malformed events", () => {
  test.each([
    ["JSON that is none", events("{not json}", chunk({ content: "x" }, "stop"))],
    ["an error object", events(chunk({ content: "x" }), { error: { message: "Provider returned error", code: 502 } })],
    ["an error event", `event: error\ndata: {"message":"Overloaded","type":"overloaded_error"}\n\n`],
    ["no events at all", "hello"],
    ["an empty body", ""],
    ["only [DONE]", events("[DONE]")],
  ])("%s is transient", async (_name, body) => {
    expect((await failure(raw(body))).kind).toBe("transient");
  });
});

it("F15: a line that never ends is given up before it fills the memory", async () => {
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(120);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += bytes.length;
      controller.enqueue(bytes.slice());
    },
  });
  vi.stubGlobal("fetch", async () => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  try {
    const found = await failure({});
    expect(found).toMatchObject({ kind: "transient", message: expect.stringContaining("does not end") });
    expect(sent).toBeLessThan(100 * 1024 * 1024);
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("F16: error answers", () => {
  const error = (text: string, code?: string) => JSON.stringify({ error: { message: text, code } });

  test.each<[string, ModelServerAnswer, object]>([
    [
      "429 with a wait",
      { status: 429, headers: { "retry-after": "7" }, body: error("slow") },
      { kind: "rateLimit", retryAfterMs: 7_000 },
    ],
    [
      "429 with ten days",
      { status: 429, headers: { "retry-after": "864000" }, body: error("slow") },
      { kind: "rateLimit", retryAfterMs: 864_000_000 },
    ],
    [
      "case 55: 429 with soon",
      { status: 429, headers: { "retry-after": "soon" }, body: error("slow") },
      { kind: "rateLimit", retryAfterMs: undefined },
    ],
    [
      "case 56: quota",
      { status: 429, body: error("You exceeded your current quota", "insufficient_quota") },
      { kind: "quota" },
    ],
    ["case 56: digits in an id", { status: 400, body: error("invalid schema (request 5001429)") }, { kind: "invalid" }],
    ["500", { status: 500, body: error("boom") }, { kind: "transient" }],
    [
      "503",
      { status: 503, headers: { "retry-after": "2" }, body: "Service Unavailable" },
      { kind: "transient", retryAfterMs: 2_000 },
    ],
    ["529", { status: 529, body: error("Overloaded") }, { kind: "transient" }],
    [
      "401",
      { status: 401, body: error(`Incorrect API key provided: ${key}`) },
      { kind: "auth", next: "set TEST_KEY to a valid key" },
    ],
    ["404", { status: 404, body: error("The model does not exist") }, { kind: "unknownModel" }],
    [
      "a body without an error field",
      { status: 400, body: JSON.stringify({ message: "prompt is too long" }) },
      { kind: "overflow" },
    ],
    ["FastAPI's detail", { status: 422, body: JSON.stringify({ detail: "tools not supported" }) }, { kind: "invalid" }],
    [
      "Google's list",
      { status: 400, body: JSON.stringify([{ error: { message: "API key not valid" } }]) },
      { kind: "auth" },
    ],
    ["a page", { status: 502, body: "<html><body><h1>Bad Gateway</h1></body></html>" }, { kind: "transient" }],
    ["a status without a body", { status: 304, body: "" }, { kind: "transient" }],
  ])("%s", async (_name, answer, right) => {
    const found = await failure(answer);
    expect(found).toMatchObject(right);
    expect(found.message).not.toContain("0123456789");
    // 9.16: the SDK repeats nothing by itself.
    expect(server?.requests).toHaveLength(1);
  });

  it("the provider's words reach the text", async () => {
    expect((await failure({ status: 422, body: JSON.stringify({ detail: "tools not supported" }) })).message).toMatch(
      /^127\.0\.0\.1:\d+ answered 422: tools not supported$/,
    );
  });

  it("a web page under status 200 is a wrong address, not a cut stream", async () => {
    const found = await failure({ headers: { "content-type": "text/html" }, body: "<html>hello</html>" });
    expect(found).toMatchObject({ kind: "unknownModel", next: expect.stringContaining("base URL") });
  });

  it("an endless error body is cut", async () => {
    const found = await failure({ status: 500, body: "x".repeat(5_000_000), end: "hang" });
    expect(Buffer.byteLength(found.message)).toBeLessThan(4_200);
  });

  it("no server is transient and says how to mend it", async () => {
    server = await startModelServer(() => textAnswer("x"));
    const { url } = server;
    await server.close();
    server = { url, requests: [], listings: [], close: async () => {} };
    expect(await failure({})).toMatchObject({
      kind: "transient",
      next: expect.stringContaining("start the server at 127.0.0.1"),
    });
  });
});

describe("F17: silence and aborts", () => {
  it.each<[string, ModelServerAnswer]>([
    ["headers never come", { delayMs: 60_000 }],
    ["nothing after the headers", { chunks: [], done: false, end: "hang" }],
    ["nothing after some text", { chunks: [chunk({ content: "x" })], done: false, end: "hang" }],
    [
      "single bytes that never end a line",
      { ...raw("data: {".padEnd(200, "x")), writeBytes: 1, writeDelayMs: 50, end: "hang" },
    ],
    [
      "an error body that never ends",
      { status: 500, body: "x".repeat(200), writeBytes: 1, writeDelayMs: 50, end: "hang" },
    ],
  ])("%s: transient after the idle time", async (_name, answer) => {
    const found = await failure(answer, { idleTimeoutMs: 300 });
    expect(found.kind).toBe("transient");
  });

  it("keep-alive comments are signs of life", async () => {
    const chunks = [...Array.from({ length: 8 }, () => "{}"), chunk({ content: "late" }, "stop")];
    const { message } = await ask({ chunks, chunkDelayMs: 100 }, { idleTimeoutMs: 400 });
    expect(message.content).toEqual([{ type: "text", text: "late" }]);
  });

  it("after the finish reason silence is the end", async () => {
    const { message } = await ask(
      { chunks: [chunk({ content: "x" }, "stop")], done: false, end: "hang" },
      { idleTimeoutMs: 300 },
    );
    expect(message.stopReason).toBe("stop");
  });

  it("abort resolves at once with the text so far and no calls", async () => {
    const controller = new AbortController();
    const call = { tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: '{"command":"ls"}' } }] };
    setTimeout(() => controller.abort(), 300);
    const started = Date.now();
    const { message } = await ask(
      { chunks: [chunk({ content: "so far" }), chunk(call)], done: false, end: "hang" },
      {},
      controller.signal,
    );
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "so far" }] });
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it.each<[string, ModelServerAnswer]>([
    ["before the headers", { delayMs: 60_000 }],
    ["before the first chunk", { chunks: [], done: false, end: "hang" }],
    ["in an error body", { status: 500, body: "x", end: "hang" }],
  ])("abort %s resolves too", async (_name, answer) => {
    const { message } = await ask(answer, {}, AbortSignal.timeout(200));
    expect(message).toMatchObject({ stopReason: "aborted", content: [] });
  });

  it("an abort before the request sends nothing", async () => {
    const { message } = await ask(textAnswer("x"), {}, AbortSignal.abort());
    expect(message.stopReason).toBe("aborted");
    expect(server?.requests).toHaveLength(0);
  });
});

describe("B07: keys and addresses", () => {
  const remote = { baseUrl: "https://models.example/v1" };

  test.each<[string, Partial<ModelRequest>, object]>([
    ["a missing key names its variable", { ...remote, apiKey: "" }, { kind: "auth", next: "set TEST_KEY" }],
    ["a line break inside", { ...remote, apiKey: "sk-01234567\n89abcdef" }, { kind: "auth" }],
    ["quotes around", { ...remote, apiKey: '"sk-0123456789"' }, { kind: "auth" }],
    ["no address known", { baseUrl: undefined as never }, { kind: "invalid" }],
    ["an address that is none", { baseUrl: "models.example" }, { kind: "invalid" }],
    ["credentials in the address", { baseUrl: "https://user:0123456789@models.example" }, { kind: "invalid" }],
  ])("%s", async (_name, more, right) => {
    const found = await failure(textAnswer("x"), more);
    expect(found).toMatchObject(right);
    expect(found.message).not.toMatch(/0123456|89abcdef/);
    expect(server?.requests).toHaveLength(0);
  });

  it("white space around a key from a file is no fault", async () => {
    await ask(textAnswer("x"), { apiKey: `${key}\n` });
    expect(server?.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });
});
