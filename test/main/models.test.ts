// `tempi models` and the check of a model's name, against real HTTP on 127.0.0.1.
import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { afterEach, describe, expect, it } from "vitest";
import { type Home, homeOf, prepareHome } from "../../src/config/home.ts";
import { loadConfig } from "../../src/config/load.ts";
import { resolveModel } from "../../src/config/providers.ts";
import { checkModelName } from "../../src/main/check-model-name.ts";
import { registerMachineCommands } from "../../src/main/machine-commands.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";
import { type ModelServer, modelList, startModelServer, textAnswer } from "../support/model-server.ts";

const key = "mine-0123456789-secret";
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  process.exitCode = undefined;
});

const listing = async (list: Parameters<typeof startModelServer>[1]): Promise<ModelServer> => {
  server = await startModelServer(() => textAnswer("hi"), list);
  return server;
};

function homeWith(config: string): Home {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("models") });
  prepareHome(home);
  writeFileSync(home.configFile, config);
  return home;
}

async function models(home: Home, environment: NodeJS.ProcessEnv, ...words: string[]) {
  const said: string[] = [];
  const program = new Command("tempi").exitOverride();
  const write = (text: string) => void said.push(text.trimEnd());
  registerMachineCommands(program, { home: () => home, environment, write, say: write });
  await program.parseAsync(["models", ...words], { from: "user" });
  return { said: said.join("\n"), code: process.exitCode ?? 0 };
}

const config = (url: string) => `
model = "fast"
[aliases]
fast = "mine/small"
[providers.mine]
base_url = "${url}"
key = { env = "MINE_KEY" }
[models."mine/small"]
context_window = 64_000
price = { input = 0.5, output = 1 }
`;

describe("tempi models", () => {
  it("lists what the endpoint has and what is configured of it; it sends the key and prints it nowhere", async () => {
    const { url, listings } = await listing(() =>
      modelList("large", { id: "small", context_length: 1 }, { id: "tiny", context_length: 8_000 }),
    );
    const { said, code } = await models(homeWith(config(url)), { MINE_KEY: key });
    expect(said).toContain(`mine  ${url}`);
    expect(said).toContain("  ✓ small · window 64k · $0.5 in, $1 out per million · alias fast · default");
    expect(said).toContain("    large\n    tiny · window 8k");
    expect(said).toMatch(/without a key: openai \(OPENAI_API_KEY\), /);
    expect(said).not.toContain(key);
    expect(listings.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
    expect(code).toBe(0);
  });

  it("names a configured model that is not there with the nearest three, and fails", async () => {
    const { url } = await listing(() => modelList("smal", "smaller", "smallest", "nothing-like-it"));
    const { said, code } = await models(homeWith(config(url)), { MINE_KEY: key });
    expect(said).toContain("✗ small · not there; the nearest are smal, smaller, smallest · window 64k");
    expect(code).toBe(1);
  });

  it("says what is missing and what mends it: key, right key, endpoint, list", async () => {
    const { url } = await listing(({ headers }) =>
      headers.authorization === `Bearer ${key}` ? { status: 404, body: "{}" } : { status: 401, body: key },
    );
    const gone = await startModelServer(() => textAnswer("never"));
    await gone.close();
    const home = homeWith(`${config(url)}
[providers.far]
base_url = "https://far.example/v1"
[models."gone/x"]
base_url = "${gone.url}"
`);
    const { said, code } = await models(home, { MINE_KEY: "wrong" });
    expect(said).toMatch(/✗ it answered 401: it does not take the key\. Next: set MINE_KEY to a key of 127\.0\.0\.1/);
    expect(said).toMatch(/✗ no key is configured\. Next: key = .* under \[providers\.far\]/);
    expect(said).toContain(`✗ no connection (ECONNREFUSED). Next: start the server at ${gone.url}
  ? x`);
    expect(code).toBe(1);
    process.exitCode = undefined;
    const unlisted = await models(homeWith(config(url)), { MINE_KEY: key });
    expect(unlisted.said).toMatch(/- it answered 404\n {2}\? small/);
    expect(unlisted.code).toBe(0);
  });

  it("asks openai at its base URL, and tells programs everything", async () => {
    const { url } = await listing(() => ({ body: JSON.stringify([{ id: "models/a" }, { id: "b" }, { id: 3 }, null]) }));
    const { said, code } = await models(homeWith('model = "b"\n'), { OPENAI_BASE_URL: url }, "--json");
    const { providers, withoutKey } = JSON.parse(said);
    expect(providers).toContainEqual({
      provider: "openai",
      baseUrl: url,
      configured: true,
      state: "listed",
      named: [{ id: "b", model: "b", aliases: [], isDefault: true, exists: true }],
      others: [{ id: "a" }],
    });
    expect(withoutKey).toContainEqual({ provider: "deepseek", variable: "DEEPSEEK_API_KEY" });
    expect(code).toBe(0);
  });
});

describe("a model's name before a session exists", () => {
  const check = async (home: Home, name: string, environment: NodeJS.ProcessEnv = { MINE_KEY: key }) => {
    const { values } = loadConfig(home, { environment });
    await checkModelName(home, resolveModel(name, values, environment), values, environment);
  };
  const provider = (url: string) => `[providers.mine]\nbase_url = "${url}"\nkey = { env = "MINE_KEY" }\n`;

  it("is exit 2 with the nearest three where the endpoint lists others; one that was found is not asked for again", async () => {
    const { url, listings } = await listing(() => modelList("chat-small", "chat-large", "coder:latest", "zzz"));
    const home = homeWith(provider(url));
    await expect(check(home, "mine/chat-smal")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /has no model "chat-smal"; the nearest are mine\/chat-small, mine\/chat-large, mine\/\w/,
      ),
      next: expect.stringContaining('[models."mine/chat-smal"]'),
    });
    await check(home, "mine/chat-small");
    await check(home, "mine/Coder");
    expect(listings).toHaveLength(3);
    await check(home, "mine/chat-small");
    expect(listings).toHaveLength(3);
    await expect(check(home, "mine/chat-smal")).rejects.toMatchObject({ exitCode: 2 });
  });

  it("is not asked about where the configuration has a table for it, nor for a script", async () => {
    const { url, listings } = await listing(() => modelList("other"));
    const home = homeWith(`${provider(url)}[models."mine/hidden"]\nvision = true\n`);
    await check(home, "mine/hidden");
    await check(home, "scripted:/a.json");
    expect(listings).toHaveLength(0);
  });

  it("is let pass where there is no list: refused, not found, no JSON, an empty one, no server", async () => {
    const answers = [
      { status: 401, body: "{}" },
      { status: 404, body: "{}" },
      { body: "{" },
      { body: "[]" },
      { body: "<html>", headers: { "content-type": "text/html" } },
    ];
    const { url, listings } = await listing((_, number) => answers[number - 1]!);
    const home = homeWith(provider(url));
    for (const _ of answers) await check(home, "mine/x");
    expect(listings).toHaveLength(answers.length);
    await check(homeWith(provider("http://127.0.0.1:1/v1")), "mine/x");
  });

  it("is let pass after 2 s of an endpoint, or of a command for the key, that does not answer", {
    timeout: 15_000,
  }, async () => {
    const { url } = await listing(() => ({ body: '{"data":[', end: "hang" }));
    const began = performance.now();
    const slowKey = homeWith(`[providers.mine]\nbase_url = "${url}"\nkey = { command = "sleep 4; echo k" }\n`);
    await Promise.all([check(homeWith(provider(url)), "mine/x"), check(slowKey, "mine/x")]);
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(1_900);
    expect(took).toBeLessThan(3_500);
  });
});
