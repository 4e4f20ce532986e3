// Pure text tests, and files with their modes.
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { keyFileOf, saveChoice, saveKey, withChoice } from "../../../src/main/init/save.ts";
import { temporaryFolder } from "../../config/temporary-folder.ts";

describe("the choice in the configuration", () => {
  it("is one line where the built-in provider and its variable are meant", () => {
    expect(withChoice("", { provider: "deepseek", model: "deepseek-chat" })).toBe('model = "deepseek/deepseek-chat"\n');
  });

  it("adds a table at the end, as a person would, and leaves comments and all else as they are", () => {
    const before =
      '# mine\nmodel = "a/b" # for now\napproval = "edits"\n\n[providers.x] # x\nbase_url = "http://x/v1"\n';
    const after = withChoice(before, {
      provider: "mine",
      model: "vendor/big",
      baseUrl: "http://127.0.0.1:9/v1",
      source: { file: "keys/mine" },
    });
    expect(after).toBe(
      '# mine\nmodel = "mine/vendor/big" # for now\napproval = "edits"\n\n[providers.x] # x\nbase_url = "http://x/v1"\n\n[providers.mine]\nbase_url = "http://127.0.0.1:9/v1"\nkey = { file = "keys/mine" }\n',
    );
  });

  it.each([
    ["a table", '[providers.mine]\nkey = { env = "OLD" }\ncompat = { store = false }\n'],
    ["an inline table", 'providers.mine = { key = { env = "OLD" }, compat = { store = false } }\n'],
    ["all inline", 'providers = { mine = { key = { env = "OLD" }, compat = { store = false } } }\n'],
  ])("changes the key of a provider that has %s, and keeps the rest of it", (_name, before) => {
    const after = withChoice(before, { provider: "mine", model: "m", source: { command: 'pass "a b"' } });
    expect(parse(after)).toEqual({
      model: "mine/m",
      providers: { mine: { key: { command: 'pass "a b"' }, compat: { store: false } } },
    });
  });

  it("takes a key away that no longer counts", () => {
    const after = withChoice('[providers.openai]\nkey = { file = "old" }\n', { provider: "openai", model: "m" });
    expect(parse(after)).toEqual({ model: "openai/m" });
  });

  it("adds beside providers that are written inline", () => {
    const before = 'providers = { x = { base_url = "http://x/v1" } } # inline\n';
    const after = withChoice(before, { provider: "mine", model: "m", source: { env: "MINE" } });
    expect(after).toContain("# inline");
    expect(parse(after)).toEqual({
      model: "mine/m",
      providers: { x: { base_url: "http://x/v1" }, mine: { key: { env: "MINE" } } },
    });
  });
});

describe("files", () => {
  it("of a key are the user's alone, whatever was there", () => {
    const file = keyFileOf(join(temporaryFolder("init"), "tempi", "config.toml"), "mine");
    for (const key of ["one", "two"]) {
      saveKey(file, key);
      expect(readFileSync(file, "utf8")).toBe(`${key}\n`);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    }
  });

  it("of the configuration may be a link, and stay one", () => {
    const folder = temporaryFolder("init");
    const real = join(folder, "dotfiles.toml");
    const link = join(folder, "config.toml");
    writeFileSync(real, 'approval = "edits"\n');
    symlinkSync(real, link);
    saveChoice(link, { provider: "groq", model: "m" });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(parse(readFileSync(real, "utf8"))).toEqual({ approval: "edits", model: "groq/m" });
  });
});
