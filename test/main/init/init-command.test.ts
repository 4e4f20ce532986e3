// `tempi init` against real HTTP on 127.0.0.1; a person is a stream of keys to the real prompts.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { parse } from "smol-toml";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Home, homeOf, prepareHome } from "../../../src/config/home.ts";
import { type InitFlags, initCommand } from "../../../src/main/init/init-command.ts";
import { terminalQuestions } from "../../../src/main/init/questions.ts";
import { temporaryFolder } from "../../config/temporary-folder.ts";
import { type ModelServer, modelList, startModelServer, textAnswer } from "../../support/model-server.ts";

const key = "mine-0123456789-secret";
let server: ModelServer;
afterEach(async () => {
  await server.close();
  process.exitCode = undefined;
});

/** An endpoint that takes one key only, and lists models. */
async function endpoint({ lists = true } = {}): Promise<ModelServer> {
  const refused = { status: 401, body: JSON.stringify({ error: { message: "bad key" } }) };
  const guard = (headers: ModelServer["requests"][number]["headers"]) => headers.authorization === `Bearer ${key}`;
  server = await startModelServer(
    ({ headers, body }) => {
      if (!guard(headers)) return refused;
      if (body.model === "broken") return { status: 400, body: JSON.stringify({ error: { message: "not deployed" } }) };
      return textAnswer("ready");
    },
    ({ headers }) => {
      if (!guard(headers)) return refused;
      return lists ? modelList("text-embedding-1", "big-coder", "broken", "small") : { status: 404, body: "{}" };
    },
  );
  return server;
}

function set(options: { environment?: NodeJS.ProcessEnv; stdin?: string; config?: string } = {}) {
  const home: Home = homeOf({ TEMPI_HOME: temporaryFolder("init") });
  prepareHome(home);
  if (options.config) writeFileSync(home.configFile, options.config);
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const context = { home, environment: options.environment ?? {}, write: say, say, workerProgram: undefined };
  const stdin = Readable.from([options.stdin ?? ""]);
  return {
    home,
    said,
    config: () => parse(readFileSync(home.configFile, "utf8")),
    init: (flags: InitFlags) => initCommand(context, flags, { stdin }),
    /** The same on a terminal: `person` sees the screen and types. */
    async atTerminal(
      flags: InitFlags,
      person: (see: (text: string) => Promise<void>, type: (keys: string) => void) => Promise<void>,
    ) {
      const input = new PassThrough();
      // As a terminal, it outlives the prompts.
      const output: PassThrough = Object.assign(new PassThrough(), { end: () => output });
      let screen = "";
      output.on("data", (part) => {
        screen += part;
      });
      let from = 0;
      const see = async (text: string) => {
        await vi.waitFor(() => expect(stripVTControlCharacters(screen).slice(from)).toContain(text), {
          timeout: 5_000,
        });
        from = stripVTControlCharacters(screen).length;
      };
      const questions = terminalQuestions({ input, output });
      const running = initCommand(context, flags, { stdin, questions });
      await person(see, (keys) => void input.write(keys));
      await running;
      return screen;
    },
  };
}

describe("off a terminal", () => {
  it("takes all from flags, tries one request, and writes names only", async () => {
    const { url, requests } = await endpoint();
    const { init, config, said } = set({ environment: { MINE_KEY: key } });
    await init({ provider: "mine", baseUrl: url, keyEnv: "MINE_KEY", model: "mine/big-coder" });
    expect(config()).toEqual({
      model: "mine/big-coder",
      providers: { mine: { base_url: url, key: { env: "MINE_KEY" } } },
    });
    expect(requests.map(({ body }) => body.model)).toEqual(["big-coder"]);
    expect(said.at(-1)).toBe('Next: tempi run "what to do"');
    expect(said.join("\n")).not.toContain(key);
  });

  it("keeps a key from standard input in a file of the user alone, and nowhere else", async () => {
    const { url } = await endpoint();
    const { init, config, home, said } = set({ stdin: `${key}\n` });
    await init({ provider: "mine", baseUrl: url, keyStdin: true, model: "small" });
    expect(config()).toMatchObject({ providers: { mine: { key: { file: "keys/mine" } } } });
    const file = join(dirname(home.configFile), "keys", "mine");
    expect(readFileSync(file, "utf8")).toBe(`${key}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(said.join("\n")).not.toContain(key);
    const others = readdirSync(home.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const entry of others) {
      const path = join(entry.parentPath, entry.name);
      if (path !== file) expect(readFileSync(path, "utf8")).not.toContain(key);
    }
  });

  it.each<[string, InitFlags, string, string?]>([
    ["no provider", { model: "m" }, "off a terminal init needs --provider NAME"],
    ["an unknown provider", { provider: "nobody", model: "m" }, 'the provider "nobody" is not known'],
    [
      "a key in place of a variable's name",
      { provider: "groq", keyEnv: "sk-abc", model: "m" },
      "--key-env takes the name of a variable, never a key",
    ],
    ["two keys", { provider: "groq", keyEnv: "A", keyStdin: true, model: "m" }, "a key comes from one place"],
    ["no key", { provider: "groq", model: "m" }, "no key for groq: GROQ_API_KEY is not set"],
    [
      "a URL that is none",
      { provider: "mine", baseUrl: "host", keyEnv: "A", model: "m" },
      "the base URL of mine is none: It must begin with http:// or https://.",
    ],
    [
      "blanks for a key",
      { provider: "groq", keyStdin: true, model: "m" },
      "standard input holds no key: it holds a line break, a quote or a blank, which no key has",
      "two words\n",
    ],
  ])("%s is exit 2, says what to give, and writes nothing", async (_name, flags, words, stdin) => {
    await endpoint();
    const { init, home } = set(stdin === undefined ? {} : { stdin });
    await expect(init(flags)).rejects.toMatchObject({ message: words, exitCode: 2, next: expect.any(String) });
    expect(existsSync(home.configFile)).toBe(false);
  });

  it.each<[string, InitFlags, NodeJS.ProcessEnv, string]>([
    ["a key that is refused", { model: "small" }, { MINE_KEY: "wrong-key-1" }, "it answered 401"],
    ["a variable that is not set", { model: "small" }, {}, "the variable MINE_KEY is not set"],
    ["a model that is not there", { model: "smal" }, { MINE_KEY: key }, 'no model "smal"; the nearest are small'],
    ["a model that does not answer", { model: "broken" }, { MINE_KEY: key }, "not deployed"],
  ])("%s is said, and nothing is written", async (_name, flags, environment, words) => {
    const { url } = await endpoint();
    const { init, home } = set({ environment });
    const asked = init({ provider: "mine", baseUrl: url, keyEnv: "MINE_KEY", ...flags });
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.not.toThrow(/wrong-key-1/);
    expect(existsSync(home.configFile)).toBe(false);
  });

  it("uses what the configuration says of a provider, and needs no list", async () => {
    const { url } = await endpoint({ lists: false });
    const config = `# kept\n[providers.mine]\nbase_url = "${url}"\nkey = { env = "MINE_KEY" }\n`;
    const { init, home } = set({ environment: { MINE_KEY: key }, config });
    await init({ provider: "mine", model: "unlisted" });
    const text = readFileSync(home.configFile, "utf8");
    expect(text).toContain("# kept");
    expect(parse(text)).toEqual({
      model: "mine/unlisted",
      providers: { mine: { base_url: url, key: { env: "MINE_KEY" } } },
    });
  });
});

describe("on a terminal", () => {
  it("asks provider, key and model; a wrong key is asked again, a model that fails too; the key is never shown", async () => {
    const { url } = await endpoint();
    const { atTerminal, config, said, home } = set();
    const screen = await atTerminal({ baseUrl: url, provider: "mine" }, async (see, type) => {
      await see("Where is the key of mine?");
      type("\u001b[B\r");
      await see("nothing of it is shown");
      type("wrong-key-1\r");
      await see("Where is the key of mine?");
      type("\u001b[B\r");
      await see("nothing of it is shown");
      type(`${key}\r`);
      await see("Which model?");
      type("brok");
      await see("broken");
      type("\r");
      await see("Which model?");
      type("\r");
    });
    expect(said.join("\n")).toMatch(/✗ 127\.0\.0\.1:\d+: it answered 401.*give another key/);
    expect(said.join("\n")).toContain("✗ broken: ");
    expect(config()).toMatchObject({ model: "mine/big-coder", providers: { mine: { key: { file: "keys/mine" } } } });
    expect(readFileSync(join(dirname(home.configFile), "keys", "mine"), "utf8")).toBe(`${key}\n`);
    for (const secret of [key, "wrong-key-1"]) expect(`${screen}${said.join()}`).not.toContain(secret);
  });

  it("is left by Ctrl-C with nothing written", async () => {
    await endpoint();
    const { atTerminal, home, said } = set({ environment: { GROQ_API_KEY: "k" } });
    await atTerminal({}, async (see, type) => {
      // What has a key stands first.
      await see("groq  (GROQ_API_KEY is set)");
      type("\u0003");
    });
    expect(said).toEqual(["left; nothing was written."]);
    expect(process.exitCode).toBe(130);
    expect(existsSync(home.configFile)).toBe(false);
  });
});
