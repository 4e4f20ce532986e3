// Pure unit tests of the configuration file: no server, no network.
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorLine, isUserError } from "../../src/config/errors.ts";
import { homeEnvironment, homeOf, prepareHome } from "../../src/config/home.ts";
import { configLines, loadConfig, unsetKeys } from "../../src/config/load.ts";
import { notifyTargets } from "../../src/config/notify.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function homeWith(config?: string) {
  const root = temporaryFolder("config");
  const home = homeOf({ TEMPI_HOME: root });
  if (config !== undefined) writeFileSync(home.configFile, config);
  return home;
}

function errorOf(config: string, environment: NodeJS.ProcessEnv = {}): string {
  try {
    loadConfig(homeWith(config), { environment });
  } catch (error) {
    expect(isUserError(error) && error.exitCode).toBe(2);
    return errorLine(error);
  }
  throw new Error("it was accepted");
}

describe("what is wrong is named with file, line and key", () => {
  const cases: [name: string, config: string, said: RegExp][] = [
    ["broken TOML", 'approval = "ask"\nmax_turns = = 3\n', /config\.toml:2:\d+ is not valid TOML/],
    ["unclosed string", 'model = "openai\n', /config\.toml:1:\d+ is not valid TOML/],
    ["unknown key", '\napprovel = "auto"\n', /config\.toml:2: unknown key "approvel"/],
    ["unknown key in a table", '[server]\nbinary = "/x"\nport = 3\n', /config\.toml:3: unknown key "server\.port"/],
    ["text for a number", 'max_turns = "5"\n', /config\.toml:1: max_turns: expected integer, not "5"/],
    ["negative limit", "# a\n\nmax_turns = -1\n", /config\.toml:3: max_turns: .*greater or equal to 1.*not -1/],
    ["a time without unit", 'timeout = "2"\n', /config\.toml:1: timeout must be like 30s, 15m, 2h or 1d, not "2"/],
    ["a budget of nothing", "budget = 0\n", /config\.toml:1: budget must be dollars above 0, not 0/],
    ["fraction", "max_turns = 1.5\n", /max_turns: expected integer, not 1\.5/],
    ["unknown level", 'approval = "never"\n', /approval must be one of ask, edits, auto, not "never"/],
    ["relative binary", '[server]\nbinary = "temporal"\n', /:2: server\.binary must be an absolute path/],
    ["key of a wrong shape", "[providers.x]\nkey = 5\n", /:2: providers\.x\.key must be \{ env/],
    ["two ways at once", '[providers.x]\nkey = { env = "A", file = "b" }\n', /:2: .*key/],
    ["base URL without scheme", '[providers.x]\nbase_url = "x.example"\n', /:2: providers\.x\.base_url must be a URL/],
    ["all addresses at once", '[web]\nlan = "0.0.0.0"\n', /:2: web\.lan must be one IPv4 address of this machine/],
    ["a page without TLS for others", '[web]\npublic_url = "http://x.example"\n', /:2: web\.public_url must be https/],
    ["a port of the system", "[web]\nport = 80\n", /:2: web\.port: .*greater or equal to 1024/],
    ["a wrong way to notify", 'notify = "sometimes"\n', /:1: notify must be "on", "off" or a table/],
    ["an unknown way to notify", '[notify]\nmail = "x"\n', /:[12]: .*notify/],
    ["a key itself", '[providers.x]\nkey = "hunter2"\n', /:2: providers\.x\.key holds a secret key/],
    ["a key at an odd place", 'model = "sk-abcdefghijklmnop1234"\n', /:1: model holds a secret key/],
    ["a key under an unknown name", '[providers.x]\napi_key = "abc"\n', /:2: providers\.x\.api_key holds a secret/],
  ];
  test.each(cases)("%s", (_name, config, said) => {
    expect(errorOf(config)).toMatch(said);
  });

  test("values of secrets are never printed", () => {
    expect(errorOf('[providers.x]\nkey = "sk-abcdefghijklmnop1234"\n')).not.toContain("sk-abc");
  });

  test("every error names a next step", () => {
    for (const [, config] of cases) expect(errorOf(config)).toMatch(/^tempi: .*\. Next: \S/);
  });

  test("a wrong TEMPI_APPROVAL", () => {
    expect(errorOf("", { TEMPI_APPROVAL: "yolo" })).toMatch(/TEMPI_APPROVAL must be one of/);
  });
});

describe("precedence", () => {
  const file = 'model = "a/file"\napproval = "edits"\nmax_turns = 7\n[providers.mine]\nkey = { env = "MY_KEY" }\n';

  test("flags over environment over file over defaults, each with its origin", () => {
    const home = homeWith(file);
    const config = loadConfig(home, {
      environment: { TEMPI_MODEL: "b/environment", TEMPI_APPROVAL: "ask" },
      flags: { model: "c/flag" },
    });
    expect(config.values).toMatchObject({ model: "c/flag", approval: "ask", max_turns: 7, on_ask: "park" });
    expect(config.origins).toEqual({
      model: "--model",
      approval: "TEMPI_APPROVAL",
      max_turns: home.configFile,
      "providers.mine.key.env": home.configFile,
      approval_proof: "default",
      thinking: "default",
      on_ask: "default",
      notify: "default",
    });
    expect(configLines(config)).toContainEqual({
      key: "providers.mine.key.env",
      value: "MY_KEY",
      origin: home.configFile,
    });
  });

  test("a table takes the place of a word", () => {
    const home = homeWith('[notify]\nurl = "https://x.example/hook"\n');
    const config = loadConfig(home, { environment: {} });
    expect(config.origins).not.toHaveProperty("notify");
    expect(config.origins["notify.url"]).toBe(home.configFile);
    expect(unsetKeys(config)).not.toContain("notify");
    expect(notifyTargets(config.values)).toEqual({ terminal: true, url: "https://x.example/hook" });
    expect(notifyTargets({ notify: "off" })).toEqual({ terminal: false });
    expect(notifyTargets({ notify: { terminal: "off", command: "say it" } })).toEqual({
      terminal: false,
      command: "say it",
    });
  });

  test("without a file there are defaults", () => {
    expect(loadConfig(homeWith(), { environment: {} }).values).toMatchObject({ approval: "ask", max_turns: 200 });
  });
});

const modelKeys = ["context_window", "max_output", "vision", "thinking", "price", "compat", "base_url", "key"].map(
  (key) => `models.NAME.${key}`,
);

test("keys without a value are known by name; a table of one provider is example enough", () => {
  const unset = unsetKeys(loadConfig(homeWith("max_turns = 7\n"), { environment: {} }));
  expect(unset).toEqual([
    ...["model", "until", "timeout", "budget", "tools", "queue", "system_prompt"],
    ...modelKeys,
    "aliases",
    ...["server.binary", "server.temporal_profile", "server.address", "server.namespace"],
    ...["web.start", "web.port", "web.lan", "web.public_url"],
    ...["providers.NAME.base_url", "providers.NAME.key", "providers.NAME.compat"],
    "rules",
  ]);
  const config = loadConfig(homeWith('model = "a/b"\n[server]\nbinary = "/x"\n[providers.x]\nkey = { env = "A" }\n'), {
    environment: {},
  });
  expect(unsetKeys(config)).toEqual([
    ...["until", "timeout", "budget", "tools", "queue", "system_prompt"],
    ...modelKeys,
    "aliases",
    ...["server.temporal_profile", "server.address", "server.namespace"],
    ...["web.start", "web.port", "web.lan", "web.public_url"],
    "rules",
  ]);
});

test.runIf(existsSync("/proc/self"))(
  "a home where no folder can be made is an error and no endless search (L8)",
  () => {
    const home = homeOf({ TEMPI_HOME: "/proc/tempi/deep" });
    expect(() => prepareHome(home)).toThrow(/cannot create \/proc\/tempi\/deep: /);
  },
);

test("a home is created with all folders above it", () => {
  const home = homeOf({ TEMPI_HOME: join(temporaryFolder("deep"), "a", "b") });
  prepareHome(home);
  prepareHome(home);
  expect(statSync(home.calls).mode & 0o777).toBe(0o700);
});

test("a key file that others may read is warned about", () => {
  const home = homeWith('[providers.x]\nkey = { file = "x.key" }\n');
  const key = join(home.root, "x.key");
  writeFileSync(key, "k");
  chmodSync(key, 0o644);
  expect(loadConfig(home, { environment: {} }).warnings).toEqual([
    `the key file of x, ${key}, is readable by others (0644). Next: chmod 600 ${key}`,
  ]);
  chmodSync(key, 0o600);
  expect(loadConfig(home, { environment: {} }).warnings).toEqual([]);
});

test("homeEnvironment leads another process to the same home", () => {
  const environments: NodeJS.ProcessEnv[] = [{ TEMPI_HOME: "/a/b" }, { XDG_STATE_HOME: "/s", XDG_CONFIG_HOME: "/c" }];
  for (const environment of environments) {
    const home = homeOf(environment);
    expect(homeOf({ XDG_STATE_HOME: "/other", ...homeEnvironment(home) })).toEqual(home);
  }
});
