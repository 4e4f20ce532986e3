// Pure unit tests: tables of models, flags and aliases in config.toml (C4).
import { writeFileSync } from "node:fs";
import type { Static } from "@sinclair/typebox";
import { describe, expect, expectTypeOf, it, test } from "vitest";
import { errorLine, isUserError } from "../../src/config/errors.ts";
import { homeOf } from "../../src/config/home.ts";
import { configLines, loadConfig } from "../../src/config/load.ts";
import { modelOptionsOf } from "../../src/config/model-options.ts";
import type { CompatSchema } from "../../src/config/model-schema.ts";
import { baseUrlOf, keySourceOf, resolveModel } from "../../src/config/providers.ts";
import type { ModelRequest } from "../../src/providers/contract.ts";
import type { CompatFlags } from "../../src/providers/openai-completions/compat.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function load(config: string) {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("models") });
  writeFileSync(home.configFile, config);
  return loadConfig(home, { environment: {} });
}

function errorOf(config: string): string {
  try {
    load(config);
  } catch (error) {
    expect(isUserError(error) && error.exitCode).toBe(2);
    return errorLine(error);
  }
  throw new Error("it was accepted");
}

test("the schema has exactly the flags of the providers, with their types", () => {
  expectTypeOf<Required<Static<typeof CompatSchema>>>().toEqualTypeOf<CompatFlags>();
  expectTypeOf<Static<typeof CompatSchema>>().toExtend<NonNullable<ModelRequest["compat"]>>();
});

describe("what is wrong is named with file, line and key", () => {
  const model = '[models."deepseek/chat"]\n';
  const cases: [name: string, config: string, said: RegExp][] = [
    [
      "an unknown flag",
      `${model}compat = { strict = true }\n`,
      /:2: unknown key ".*compat\.strict"; compat has maxTokens/,
    ],
    ["a flag of a provider", "[providers.x.compat]\nstore = 1\n", /:2: providers\.x\.compat\.store: .*boolean, not 1/],
    ["a flag's value", `${model}compat.maxTokensField = "max"\n`, /:2: .*must be one of max_tokens, max_completion/],
    [
      "a pattern",
      `${model}compat.effortModels = "("\n`,
      /:2: models\.deepseek\/chat\.compat\.effortModels is not a reg/,
    ],
    ["an unknown level", `${model}thinking = { hihg = "x" }\n`, /:2: unknown key ".*hihg"; thinking has off, minimal/],
    [
      "a level's value",
      `${model}thinking = { high = 1.5 }\n`,
      /:2: .*thinking\.high must be a text, a whole number or/,
    ],
    ["half a price", `${model}price = { input = 1 }\n`, /:2: .*price\.output is missing/],
    ["a negative price", `${model}price = { input = -1, output = 1 }\n`, /:2: .*price\.input: .*greater or equal to 0/],
    ["no output", `${model}max_output = 0\n`, /:2: .*max_output: .*greater or equal to 1/],
    ["a word for vision", `${model}vision = "yes"\n`, /:2: .*vision: expected boolean, not "yes"/],
    ["a key itself", `${model}key = "hunter2"\n`, /:2: .*key holds a secret key/],
    ["a model without provider", '[models."chat"]\nvision = true\n', /:1: models\."chat" must be PROVIDER\/MODEL/],
    [
      "a model's provider",
      '[models."depseek/x"]\nvision = true\n',
      /:1: .*unknown provider "depseek"\. Next: use one of/,
    ],
    [
      "an alias's provider",
      '[aliases]\nfast = "depseek/x"\n',
      /:2: aliases\.fast: "depseek\/x" names the unknown provider/,
    ],
    ["an alias of a bare name", '[aliases]\nfast = "gpt-x"\n', /:2: aliases\.fast: "gpt-x" must be PROVIDER\/MODEL/],
    ["an alias of an alias", '[aliases]\na = "deepseek/x"\nb = "a"\n', /:3: aliases\.b: "a" must be PROVIDER\/MODEL/],
    ["an alias like a model", '[aliases]\n"a/b" = "deepseek/x"\n', /:2: aliases\."a\/b" must be letters/],
  ];
  test.each(cases)("%s", (_name, config, said) => {
    const error = errorOf(config);
    expect(error).toMatch(said);
    expect(error).toMatch(/^tempi: .*\. Next: \S/);
  });
});

const config = `
model = "fast"
[aliases]
fast = "mine/small-2.5"
file = "scripted:/a/b.json"
"prototype" = "deepseek/x"
[providers.mine]
base_url = "https://mine.example/v1"
key = { env = "MINE_KEY" }
compat = { strictTools = true, images = false, maximumIdLength = 20 }
[models."mine/small-2.5"]
context_window = 64_000
max_output = 8_000
vision = true
thinking = { off = false, high = "deep" }
price = { input = 0.5, output = 1, cache_read = 0.05 }
compat = { maximumIdLength = 30 }
[models."mine/other"]
base_url = "https://other.example/v1"
key = { env = "OTHER_KEY" }
[models."lone/model"]
base_url = "http://127.0.0.1:1/v1"
`;

describe("what counts", () => {
  it("is the model's own over its provider's; a model without table has its provider's", () => {
    const { values } = load(config);
    expect(modelOptionsOf("mine", "small-2.5", values)).toEqual({
      compat: { strictTools: true, images: true, maximumIdLength: 30 },
      thinking: { off: false, high: "deep" },
      price: { input: 0.5, output: 1, cache_read: 0.05 },
      contextWindow: 64_000,
      maxOutput: 8_000,
    });
    expect(modelOptionsOf("mine", "new", values)).toEqual({
      compat: { strictTools: true, images: false, maximumIdLength: 20 },
    });
    expect(modelOptionsOf("constructor", "constructor", values)).toEqual({ compat: {} });
  });

  it("holds for a model at another address with another key, and for one whose provider is known by it alone", () => {
    const { values } = load(config);
    expect(baseUrlOf("mine", values, {})).toBe("https://mine.example/v1");
    expect(baseUrlOf("mine", values, {}, "other")).toBe("https://other.example/v1");
    expect(keySourceOf("mine", values, "other")).toEqual({ env: "OTHER_KEY" });
    expect(keySourceOf("mine", values, "small-2.5")).toEqual({ env: "MINE_KEY" });
    expect(resolveModel("mine/other", values, { OTHER_KEY: "k" })).toEqual({
      provider: "mine",
      model: "other",
      baseUrl: "https://other.example/v1",
      keyVariable: "OTHER_KEY",
    });
    expect(resolveModel("lone/model", values, {})).toMatchObject({ provider: "lone", model: "model" });
  });

  it("records with a session what its workflow needs, and no more", () => {
    const { values } = load(config);
    const expected = {
      provider: "mine",
      model: "small-2.5",
      baseUrl: "https://mine.example/v1",
      keyVariable: "MINE_KEY",
      contextWindow: 64_000,
      maxOutput: 8_000,
    };
    for (const name of [undefined, "fast", "mine/small-2.5"]) {
      expect(resolveModel(name, values, { MINE_KEY: "k" })).toEqual(expected);
    }
  });

  it("takes an alias wherever a model is named, and nothing inherited for one", () => {
    const { values } = load(config);
    expect(resolveModel("file", values, {})).toEqual({ provider: "scripted", model: "/a/b.json" });
    expect(resolveModel("prototype", values, { DEEPSEEK_API_KEY: "k" }).provider).toBe("deepseek");
    expect(resolveModel("constructor", {}, { OPENAI_API_KEY: "k" }).model).toBe("constructor");
    const home = homeOf({ TEMPI_HOME: temporaryFolder("models") });
    writeFileSync(home.configFile, config);
    const { values: withVariable } = loadConfig(home, { environment: { TEMPI_MODEL: "file" } });
    expect(resolveModel(undefined, withVariable, {}).provider).toBe("scripted");
  });

  it("is printed with dots in names", () => {
    expect(configLines(load(config))).toContainEqual(
      expect.objectContaining({ key: "models.mine/small-2.5.context_window", value: 64_000 }),
    );
  });
});
