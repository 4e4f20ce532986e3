// Pure unit tests: which endpoint and key variable a model's name means.
import { describe, expect, test } from "vitest";
import { errorLine, isUserError } from "../../src/config/errors.ts";
import { differingNames, fingerprintOf, providerEnvironment } from "../../src/config/provider-environment.ts";
import { type ResolvedModel, resolveModel } from "../../src/config/providers.ts";
import type { ConfigFile } from "../../src/config/schema.ts";

type Case = [name: string, model: string | undefined, config: ConfigFile, environment: NodeJS.ProcessEnv];

describe("resolved", () => {
  const openai = { OPENAI_API_KEY: "k" };
  const cases: [...Case, expected: ResolvedModel][] = [
    [
      "provider/model",
      "deepseek/deepseek-chat",
      {},
      { DEEPSEEK_API_KEY: "k" },
      {
        provider: "deepseek",
        model: "deepseek-chat",
        baseUrl: "https://api.deepseek.com/v1",
        keyVariable: "DEEPSEEK_API_KEY",
      },
    ],
    [
      "bare name, openai by default",
      "gpt-x",
      {},
      { ...openai, GROQ_API_KEY: "k" },
      { provider: "openai", model: "gpt-x", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
    ],
    [
      "bare name, the only provider with a key",
      "deepseek-chat",
      {},
      { DEEPSEEK_API_KEY: "k" },
      {
        provider: "deepseek",
        model: "deepseek-chat",
        baseUrl: "https://api.deepseek.com/v1",
        keyVariable: "DEEPSEEK_API_KEY",
      },
    ],
    [
      "OPENAI_BASE_URL overrides",
      "m",
      {},
      { ...openai, OPENAI_BASE_URL: "https://proxy.example/v1" },
      { provider: "openai", model: "m", baseUrl: "https://proxy.example/v1", keyVariable: "OPENAI_API_KEY" },
    ],
    [
      "loopback needs no key",
      "openai/m",
      {},
      { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
      { provider: "openai", model: "m", baseUrl: "http://127.0.0.1:9/v1" },
    ],
    [
      "local endpoint",
      "ollama/qwen3:8b",
      {},
      {},
      { provider: "ollama", model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1" },
    ],
    [
      "slashes in the model",
      "openrouter/a/b:free",
      {},
      { OPENROUTER_API_KEY: "k" },
      {
        provider: "openrouter",
        model: "a/b:free",
        baseUrl: "https://openrouter.ai/api/v1",
        keyVariable: "OPENROUTER_API_KEY",
      },
    ],
    [
      "slash in a bare name",
      "meta-llama/L",
      {},
      { TOGETHER_API_KEY: "k" },
      {
        provider: "together",
        model: "meta-llama/L",
        baseUrl: "https://api.together.xyz/v1",
        keyVariable: "TOGETHER_API_KEY",
      },
    ],
    [
      "configured provider",
      "mine/m",
      { providers: { mine: { base_url: "https://m.example", key: { env: "MINE" } } } },
      { MINE: "k" },
      { provider: "mine", model: "m", baseUrl: "https://m.example", keyVariable: "MINE" },
    ],
    [
      "key by command",
      "groq/m",
      { providers: { groq: { key: { command: "pass groq" } } } },
      {},
      { provider: "groq", model: "m", baseUrl: "https://api.groq.com/openai/v1" },
    ],
    [
      "model",
      undefined,
      { model: "openai/d" },
      openai,
      { provider: "openai", model: "d", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
    ],
    ["scripted", "scripted:answers.json", {}, {}, { provider: "scripted", model: "/home/answers.json" }],
    ["scripted, absolute", "scripted:/x.json", {}, {}, { provider: "scripted", model: "/x.json" }],
  ];
  test.each(cases)("%s", (_name, model, config, environment, expected) => {
    expect(resolveModel(model, config, environment, "/home")).toEqual(expected);
  });
});

describe("refused with exit code 2 and a next step", () => {
  const cases: [...Case, said: RegExp][] = [
    [
      "no model",
      undefined,
      {},
      {},
      /no model is known\. Next: tempi init, or name one: --model .* TEMPI_MODEL.* model/,
    ],
    ["unknown provider", "nobody/m", {}, {}, /unknown provider "nobody"/],
    ["constructor is no provider", "constructor/m", {}, {}, /unknown provider "constructor"/],
    ["several keys", "m", {}, { GROQ_API_KEY: "k", XAI_API_KEY: "k" }, /several could be meant \(groq, xai\)/],
    ["no key", "openai/m", {}, {}, /no key for openai: OPENAI_API_KEY is not set/],
    ["empty key", "openai/m", {}, { OPENAI_API_KEY: "" }, /OPENAI_API_KEY is not set/],
    ["newline in the key", "openai/m", {}, { OPENAI_API_KEY: "topsecret\n" }, /OPENAI_API_KEY holds a line break/],
    [
      "quotes in the key",
      "openai/m",
      {},
      { OPENAI_API_KEY: '"topsecret"' },
      /OPENAI_API_KEY holds a line break, a quote/,
    ],
    ["no model after the slash", "openai/", {}, {}, /names a provider but no model/],
    ["no file", "scripted:", {}, {}, /names no file/],
    ["base URL missing", "mine/m", { providers: { mine: {} } }, {}, /mine has no base_url/],
  ];
  test.each(cases)("%s", (_name, model, config, environment, said) => {
    try {
      resolveModel(model, config, environment);
    } catch (error) {
      expect(isUserError(error) && error.exitCode).toBe(2);
      expect(errorLine(error)).toMatch(said);
      expect(errorLine(error)).not.toContain("topsecret");
      return;
    }
    throw new Error("it was resolved");
  });
});

test("provider variables: known keys, base URLs and configured names, nothing else", () => {
  const environment = { OPENAI_API_KEY: "a", MY_BASE_URL: "b", MY_KEY: "c", GITHUB_TOKEN: "d", GROQ_API_KEY: "" };
  expect(providerEnvironment(environment)).toEqual({ OPENAI_API_KEY: "a", MY_BASE_URL: "b" });
  expect(providerEnvironment(environment, ["MY_KEY"])).toHaveProperty("MY_KEY", "c");
});

test("fingerprints tell which variables differ and nothing of their values", () => {
  const worker = fingerprintOf({ A: "1", B: "2" }, "key");
  expect(differingNames(fingerprintOf({ A: "1", B: "3", C: "4" }, "key"), worker)).toEqual(["B", "C"]);
  expect(differingNames({}, worker)).toEqual([]);
  expect(fingerprintOf({ A: "1" }, "other key").A).not.toBe(worker.A);
  expect(JSON.stringify(worker)).not.toMatch(/"[12]"/);
});

test("the window of a model comes from its own table, whatever way the model is named", () => {
  const config = { models: { "openai/gpt-x": { context_window: 128_000 } } };
  const environment = { OPENAI_API_KEY: "key" };
  expect(resolveModel("gpt-x", config, environment).contextWindow).toBe(128_000);
  expect(resolveModel("openai/gpt-x", config, environment).contextWindow).toBe(128_000);
  expect(resolveModel("openai/other", config, environment).contextWindow).toBeUndefined();
});
