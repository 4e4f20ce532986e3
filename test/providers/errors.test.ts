// Pure unit tests: one table of failures and what the engine must do about them (cases 55, 56, F16).
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { describe, expect, it, test } from "vitest";
import type { ModelErrorKind } from "../../src/providers/contract.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { classifyError } from "../../src/providers/errors.ts";
import { retryAfterInText, retryAfterMs } from "../../src/providers/retry-after.ts";

const key = "sk-proj-0123456789abcdef";
const now = Date.parse("2026-12-01T12:00:00Z");
const context = { host: "api.test.example", model: "m-1", apiKey: key, keyVariable: "TEST_API_KEY", now };
const classify = (error: unknown) => classifyError(error, context);

const answered = (status: number, error: object, headers: Record<string, string> = {}) =>
  APIError.generate(status, { error }, undefined, new Headers(headers));
const inStream = (error: object) => new APIError(undefined, error, undefined, new Headers());
const system = (code: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });

const rows: [ModelErrorKind, string, unknown][] = [
  // case 56 and its kin
  ["invalid", "digits inside an id", answered(400, { message: "invalid schema (request 5001429)" })],
  [
    "invalid",
    "digits inside an id, in a stream",
    inStream({ message: "invalid schema (request 5001429)", type: "invalid_request_error" }),
  ],
  // Digits in ids: 401, 402, 403, 404, 413, 429, 500, 503 and 529 stand in each of these.
  ...[400, 422].map((status): [ModelErrorKind, string, unknown] => [
    "invalid",
    `digits inside ids with ${status}`,
    answered(status, {
      message: "tools.3 is not valid (request 401402403404413429, trace 500-503-529)",
      code: "4290500",
    }),
  ]),
  [
    "invalid",
    "digits inside ids, without a status",
    inStream({ message: "bad tool (trace 429-500-503)", type: "invalid_request_error", code: 5001429 }),
  ],
  ["transient", "digits inside ids of a 500", answered(500, { message: "oops (request req_401429402404)" })],
  [
    "quota",
    "insufficient_quota with 429",
    answered(429, {
      message: "You exceeded your current quota, please check your plan and billing details",
      code: "insufficient_quota",
    }),
  ],
  ["quota", "DeepSeek without balance", answered(402, { message: "Insufficient Balance" })],
  [
    "quota",
    "Z.ai without balance, as a 429",
    answered(429, { code: "1113", message: "余额不足或无可用资源包,请充值。" }),
  ],
  [
    "quota",
    "Anthropic-like credit text with 400",
    answered(400, { message: "Your credit balance is too low to access the API" }),
  ],
  [
    "rateLimit",
    "Google's limit per minute",
    answered(429, { message: "You exceeded your current quota. Please retry in 34.07s." }),
  ],
  [
    "rateLimit",
    "Too many tokens, please wait",
    answered(429, { message: "Too many tokens, please wait before trying again." }),
  ],
  ["rateLimit", "the same with 400", answered(400, { message: "Too many tokens, please wait before trying again." })],
  ["rateLimit", "the same in a stream", inStream({ message: "Too many tokens, please wait before trying again." })],
  ["rateLimit", "429 without text", answered(429, {})],
  [
    "rateLimit",
    "tokens per minute",
    answered(429, {
      message: "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000. Please try again in 6.5s.",
      code: "rate_limit_exceeded",
    }),
  ],
  [
    "overflow",
    "larger than the limit per minute",
    answered(429, { message: "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 20000" }),
  ],
  // auth
  ["auth", "401", answered(401, { message: "Incorrect API key provided", code: "invalid_api_key" })],
  ["auth", "403", answered(403, { message: "Country not supported" })],
  ["auth", "Google's 400 for a bad key", answered(400, { message: "API key not valid. Please pass a valid API key." })],
  ["auth", "a certificate that is not trusted", system("DEPTH_ZERO_SELF_SIGNED_CERT")],
  // model
  ["unknownModel", "404", answered(404, { message: "The model `x` does not exist", code: "model_not_found" })],
  ["unknownModel", "Ollama", answered(404, { message: 'model "x" not found, try pulling it first' })],
  ["unknownModel", "DeepSeek's 400", answered(400, { message: "Model Not Exist" })],
  ["unknownModel", "OpenRouter's 400", answered(400, { message: "foo/bar is not a valid model ID" })],
  // filter
  [
    "contentFilter",
    "Azure",
    answered(400, {
      message: "The response was filtered due to the prompt triggering content management policy",
      code: "content_filter",
    }),
  ],
  ["contentFilter", "DeepSeek", answered(400, { message: "Content Exists Risk" })],
  [
    "contentFilter",
    "Qwen",
    answered(400, { code: "data_inspection_failed", message: "Input data may contain inappropriate content." }),
  ],
  ["contentFilter", "OpenRouter's 403", answered(403, { message: "Input was flagged by moderation" })],
  // overflow
  [
    "overflow",
    "OpenAI",
    answered(400, {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      code: "context_length_exceeded",
    }),
  ],
  ["overflow", "OpenAI Responses", answered(400, { message: "Your input exceeds the context window of this model." })],
  ["overflow", "Anthropic", answered(400, { message: "prompt is too long: 213462 tokens > 200000 maximum" })],
  [
    "overflow",
    "Google",
    answered(400, {
      message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    }),
  ],
  [
    "overflow",
    "xAI",
    answered(400, { message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }),
  ],
  ["overflow", "Groq", answered(400, { message: "Please reduce the length of the messages or completion." })],
  [
    "overflow",
    "llama.cpp",
    answered(400, {
      message: "the request exceeds the available context size, try increasing it",
      type: "exceed_context_size_error",
    }),
  ],
  [
    "overflow",
    "LM Studio",
    answered(400, { message: "tokens to keep from the initial prompt is greater than the context length" }),
  ],
  [
    "overflow",
    "Moonshot",
    answered(400, { message: "Invalid request: Your request exceeded model token limit: 8192" }),
  ],
  [
    "overflow",
    "Mistral",
    answered(400, { message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length" }),
  ],
  ["overflow", "Ollama", answered(400, { message: "prompt too long; exceeded max context length by 100 tokens" })],
  ["overflow", "Qwen", answered(400, { message: "Range of input length should be [1, 129024]" })],
  [
    "overflow",
    "vLLM",
    answered(400, {
      message:
        "The decoder prompt (length 9000) is longer than the maximum model length; maximum context length is 8192",
    }),
  ],
  [
    "overflow",
    "OpenRouter",
    answered(400, {
      message: "This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens",
    }),
  ],
  ["overflow", "413", answered(413, { message: "Request Entity Too Large" })],
  ["overflow", "llama.cpp in a 500", answered(500, { message: "context size has been exceeded" })],
  // transient
  ["transient", "500", answered(500, { message: "The server had an error" })],
  ["transient", "502 page", answered(502, { message: "<html><title>502 Bad Gateway</title></html>" })],
  ["transient", "503", answered(503, { message: "Service Unavailable" })],
  ["transient", "529", answered(529, { message: "Overloaded", type: "overloaded_error" })],
  ["transient", "520", answered(520, {})],
  ["transient", "408", answered(408, { message: "Request Timeout" })],
  ["transient", "a numeric code in a stream", inStream({ code: 502, message: "Provider returned error" })],
  ["transient", "overloaded in a stream", inStream({ type: "overloaded_error", message: "Overloaded" })],
  ["transient", "an unknown error in a stream", inStream({ message: "something odd" })],
  ["rateLimit", "429 in a stream", inStream({ code: 429, message: "Provider returned error" })],
  ["transient", "reset", system("ECONNRESET")],
  ["transient", "refused", system("ECONNREFUSED")],
  ["transient", "name not found", system("ENOTFOUND")],
  ["transient", "undici's own codes", system("UND_ERR_BODY_TIMEOUT")],
  ["transient", "plain TypeError: terminated", new TypeError("terminated")],
  ["transient", "the SDK's connection error", new APIConnectionError({ cause: new Error("boom") })],
  ["transient", "the SDK's timeout", new APIConnectionTimeoutError()],
  ["transient", "JSON that cannot be read", new SyntaxError("Unexpected end of JSON input")],
  // final
  ["invalid", "400", answered(400, { message: "Unknown parameter: foo" })],
  ["invalid", "422", answered(422, { message: "messages: field required" })],
  ["invalid", "405", answered(405, {})],
  ["invalid", "a fault of our own", new TypeError("x is not a function")],
  ["invalid", "something thrown that is no error", "odd"],
];

describe("kinds", () => {
  test.each(rows)("%s: %s", (kind, _name, error) => {
    const classified = classify(error);
    expect({ kind: classified.kind, text: classified.message }).toMatchObject({ kind });
    expect(classified.message).toContain("api.test.example");
  });
});

describe("the server's wait", () => {
  const wait = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);

  test.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["fractions of seconds", { "retry-after": "0.5" }, 500],
    ["milliseconds win", { "retry-after-ms": "120", "retry-after": "7" }, 120],
    ["a date", { "retry-after": "Tue, 01 Dec 2026 12:00:30 GMT" }, 30_000],
    ["a past date", { "retry-after": "Tue, 01 Dec 2026 11:00:00 GMT" }, 0],
    ["ten days", { "retry-after": "864000" }, 864_000_000],
    ["zero", { "retry-after": "0" }, 0],
    ["negative", { "retry-after": "-5" }, undefined],
    ["case 55: soon", { "retry-after": "soon" }, undefined],
    ["a bare number with words", { "retry-after": "5 apples" }, undefined],
    ["digits without end", { "retry-after": "9".repeat(400) }, undefined],
    ["negative milliseconds, then seconds", { "retry-after-ms": "-1", "retry-after": "7" }, 7_000],
    ["a date without a weekday is no date of HTTP", { "retry-after": "2026-12-01" }, undefined],
    ["none", {}, undefined],
  ])("%s", (_name, headers, right) => {
    expect(wait(headers as Record<string, string>)).toBe(right);
  });

  test.each([
    ["Please try again in 6.5s.", 6_500],
    ["Please try again in 120ms", 120],
    ["try again in 1m30s", 90_000],
    ["Please retry in 34.07s.", 34_070],
    ['"retryDelay": "34s"', 34_000],
    ["try again in 20 seconds", 20_000],
    ["Please wait 20 seconds before trying again", 20_000],
    ["wait for 2 minutes and 5 seconds", 125_000],
    ["retry after 250 milliseconds", 250],
    ["try again in 2 days, 3 hours", 183_600_000],
    ["try again later", undefined],
    ["please wait before trying again (request 5001429)", undefined],
  ])("in the text: %s", (text, right) => {
    expect(retryAfterInText(text)).toBe(right);
  });

  it("is that of the reset where nothing else tells it: a header, or one in OpenRouter's body", () => {
    const metadata = { headers: { "X-RateLimit-Limit": "50", "X-RateLimit-Reset": String(now + 7_200_000) } };
    const daily = { message: "Rate limit exceeded: free-models-per-day", metadata };
    expect(classify(answered(429, daily)).retryAfterMs).toBe(7_200_000);
    const reset = (value: string) => classify(answered(429, {}, { "x-ratelimit-reset": value })).retryAfterMs;
    expect(reset(String(now / 1_000 + 90))).toBe(90_000);
    for (const other of ["60", "1s", String(now - 1), "2026-12-01T12:01:00Z"]) expect(reset(other)).toBeUndefined();
    expect(classify(answered(500, {}, { "x-ratelimit-reset": String(now + 5_000) })).retryAfterMs).toBeUndefined();
  });

  it("is honoured for 429 and 503, and unknown for garbage", () => {
    expect(classify(answered(429, {}, { "retry-after": "864000" })).retryAfterMs).toBe(864_000_000);
    expect(classify(answered(503, {}, { "retry-after": "3" })).retryAfterMs).toBe(3_000);
    expect(classify(answered(429, {}, { "retry-after": "soon" })).retryAfterMs).toBeUndefined();
    expect(classify(answered(400, { message: "x" }, { "retry-after": "3" })).retryAfterMs).toBeUndefined();
  });
});

describe("the text", () => {
  it("never holds the key, whole, encoded or half hidden", () => {
    const texts = [
      `Incorrect API key provided: ${key}`,
      "Incorrect API key provided: sk-proj-********cdef.",
      `header Authorization: Bearer ${key} is invalid`,
      `GET https://user:${key}@host/?key=${key}`,
    ];
    for (const text of texts) {
      const { message, cause, next } = classify(answered(401, { message: text }));
      expect(message).not.toMatch(/0123456789abcdef|cdef/);
      expect(cause).toBeUndefined();
      expect(next).toBe("set TEST_API_KEY to a valid key");
    }
  });

  it("is capped at 4 KB and free of page tags", () => {
    const { message } = classify(
      answered(502, { message: `<html><style>x{}</style><body>${"Bad 中 ".repeat(5_000)}</body></html>` }),
    );
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(message).not.toMatch(/[<{]/);
    expect(message).toContain("Bad");
  });

  it("says what mends it", () => {
    expect(classify(system("ECONNREFUSED"))).toMatchObject({ next: "start the server at api.test.example" });
    expect(classify(system("ECONNREFUSED")).message).toContain("ECONNREFUSED");
    expect(classify(answered(404, { message: "no" })).next).toContain("m-1");
  });

  it("a ModelError passes through", () => {
    const error = new ModelError("overflow", "x");
    expect(classify(error)).toBe(error);
  });
});
