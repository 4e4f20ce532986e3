// The machine commands as a person runs them: bin/tempi in processes of its own. The worker is a stand-in where one starts.
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, expect, test } from "vitest";
import { watchIdle } from "../../src/main/idle-exit.ts";
import { lastLines, rotateLog } from "../../src/main/log-files.ts";
import { registerMachineCommands } from "../../src/main/machine-commands.ts";
import { statusReport } from "../../src/main/status-command.ts";
import { workingFolder } from "../../src/main/working-folder.ts";
import { isAlive, waitForExit } from "../../src/server/process-identity.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";
import { fakeWorker, stopAll, type TestHome, testHome } from "./homes.ts";

afterEach(stopAll, 40_000);
const bin = join(import.meta.dirname, "..", "..", "bin", "tempi");

/** Runs a machine command in this process. */
async function run(one: TestHome, ...words: string[]): Promise<string> {
  const program = new Command("tempi").exitOverride();
  one.said.length = 0;
  const { write, say } = one.context;
  registerMachineCommands(program, {
    home: () => one.home,
    environment: one.environment,
    write,
    say,
    workerProgram: fakeWorker,
  });
  await program.parseAsync(words, { from: "user" });
  return one.said.join("\n");
}

function tempi(words: string[], environment: NodeJS.ProcessEnv, node = process.execPath, program = bin) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(node, [program, ...words], { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test("status, doctor and logs: before, while and after it runs", { timeout: 40_000 }, async () => {
  const one = await testHome();
  expect(await run(one, "status")).toMatch(/server +stopped[\s\S]*Next: tempi up --detach/);
  expect(await run(one, "doctor")).toMatch(/- server: not running\. Next: tempi up --detach/);
  expect(await run(one, "logs")).toMatch(/no log yet in/);

  expect(await run(one, "up", "--detach", "--yes")).toMatch(
    /started in the background[\s\S]*UI http:\/\/127\.0\.0\.1:\d+/,
  );
  const status = JSON.parse(await run(one, "status", "--json"));
  expect(status).toMatchObject({
    home: one.home.root,
    server: { state: "ready", pid: one.state().server.pid, version: expect.stringMatching(/^\d+\.\d+/) },
    worker: { state: "ready", restarts: 0 },
    web: { state: "stopped", url: null },
    temporalUi: { state: "running", url: one.state().uiUrl },
  });
  const doctor = await run(one, "doctor", "--report");
  for (const check of ["node", "home", "Temporal CLI", "server", "retention", "search attributes", "worker", "bash"]) {
    expect(doctor).toMatch(new RegExp(`✓ ${check}: `));
  }
  expect(await run(one, "up", "--detach")).toMatch(/already up \(pid \d+\)/);
  await run(one, "down");
  expect(await statusReport(one.context)).toMatchObject({
    server: { state: "stopped", pid: null },
    worker: { state: "stopped" },
  });
  await expect(run(one, "logs", "nobody")).rejects.toMatchObject({ exitCode: 2 });
});

test("up in the foreground: its children are not reached by Ctrl-C; SIGINT stops all in order", {
  timeout: 30_000,
}, async () => {
  const one = await testHome();
  const program = `
    const { registerMachineCommands } = await import("${join(import.meta.dirname, "..", "..", "src/main/machine-commands.ts")}");
    const { Command } = await import("commander");
    const program = new Command();
    registerMachineCommands(program, { workerProgram: ${JSON.stringify(fakeWorker)} });
    await program.parseAsync(["up"], { from: "user" });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: one.environment,
    cwd: join(import.meta.dirname, "..", ".."),
    detached: true,
    stdio: ["ignore", "inherit", "pipe"],
  });
  const [chunk] = await once(child.stderr!, "data");
  expect(String(chunk)).toMatch(/ready: Temporal 127\.0\.0\.1:\d+, UI http/);
  const { server, worker } = one.state();
  // The whole group, as a terminal does it.
  process.kill(-child.pid!, "SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect([isAlive(server), isAlive(worker)]).toEqual([false, false]);
});

test("a home whose path is too long for a Unix socket", { timeout: 30_000 }, async () => {
  const root = join(temporaryFolder("long"), "x".repeat(100));
  mkdirSync(root);
  const one = await testHome(root);
  await one.up();
  expect(one.state().socket.startsWith(root)).toBe(false);
  const { socket } = one.state();
  await one.down();
  expect(existsSync(socket)).toBe(false);
});

test("without open session it leaves by itself; with one, or while nobody can tell, it stays", async () => {
  const answers = [() => 1, () => Promise.reject(new Error("not up")), () => 0];
  const asked: number[] = [];
  const left = Promise.withResolvers<void>();
  const open = async () => {
    asked.push(asked.length);
    return await (answers[Math.min(asked.length - 1, 2)]!() as Promise<number> | number);
  };
  watchIdle(0.002, open, left.resolve);
  await left.promise;
  expect(asked.length).toBeGreaterThan(3);
});

test("the background supervisor leaves when idle for as long as it was told", { timeout: 30_000 }, async () => {
  const one = await testHome();
  const { ensureUp } = await import("../../src/main/up.ts");
  const { home, environment } = one;
  await ensureUp({
    home,
    environment,
    onMessage: () => {},
    yes: true,
    workerProgram: fakeWorker,
    idleExitMinutes: 0.02,
  });
  const state = one.state();
  expect(await waitForExit(state, 15_000)).toBe(true);
  expect([isAlive(state.server), isAlive(state.worker)]).toEqual([false, false]);
});

test("logs rotate through three files while the writer goes on", () => {
  const path = join(temporaryFolder("log"), "a.log");
  for (const text of ["first\n", "second\n", "third\n", "fourth\n"]) {
    writeFileSync(path, text, { flag: "a" });
    expect(rotateLog(path, 3)).toBe(true);
  }
  expect(rotateLog(path, 3)).toBe(false);
  expect(
    ["", ".1", ".2", ".3"].map((end) => (existsSync(path + end) ? readFileSync(path + end, "utf8") : null)),
  ).toEqual(["", "fourth\n", "third\n", null]);
  truncateSync(path);
  writeFileSync(path, "a\n\nb\nc\n");
  expect(lastLines(path, 2)).toEqual(["b", "c"]);
});

test("config lists what is set with its origin, then what is not; a broken file is named with line and column", async () => {
  const one = await testHome();
  writeFileSync(one.home.configFile, 'model = "a/b"\n');
  const listed = await run(one, "config");
  expect(listed).toMatch(/^model +"a\/b" {2}\(.*config\.toml\)$/m);
  expect(listed).toMatch(/^tools +\(unset\)$/m);
  expect(JSON.parse(await run(one, "config", "--json")).unset).toContain("server.binary");
  writeFileSync(one.home.configFile, "notify = on\n");
  await expect(run(one, "config")).rejects.toThrow(/config\.toml:1:10 is not valid TOML/);
});

test("INIT_CWD counts in tempi's own npm script alone", () => {
  const script = { npm_lifecycle_event: "tempi", INIT_CWD: "/caller" };
  expect(workingFolder({ ...script, npm_package_name: "tempi" })).toBe("/caller");
  expect(workingFolder({ ...script, npm_package_name: "other" })).toBe(process.cwd());
  expect(workingFolder({ INIT_CWD: "/caller", npm_package_name: "tempi" })).toBe(process.cwd());
});

test("bin/tempi through a link and from another folder; errors name the next step", { timeout: 20_000 }, async () => {
  const one = await testHome();
  const link = join(one.home.root, "tempi");
  symlinkSync(bin, link);
  expect(await tempi(["status"], one.environment, process.execPath, link)).toMatchObject({ code: 0 });
  writeFileSync(one.home.configFile, "max_turns = 0\n");
  const wrong = await tempi(["config"], one.environment);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/^tempi: .*config\.toml:1: max_turns.* Next: .* \(tempi config lists every key\)/);
  expect(wrong.stdout).toMatch(/^known keys: model, approval, .*providers\.NAME\.key/);
  const up = await tempi(["up", "--detach"], one.environment);
  expect(up).toMatchObject({ code: 2, stderr: wrong.stderr });
});

/** A Node below 24 on this machine's search path, other than the one beside the dependencies. */
function oldNode(): string | undefined {
  const candidates = [...(process.env.PATH ?? "").split(":"), "/usr/bin", "/usr/local/bin"].map((one) =>
    join(one, "node"),
  );
  return candidates.filter(existsSync).find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 5_000 });
    return /^v(1[89]|2[0-3])\./.test(stdout ?? "");
  });
}

// Without an old Node the present one takes its place: then only that bin/tempi runs under it is shown.
test("bin/tempi under an old Node goes on as the Node among the dependencies", { timeout: 20_000 }, async () => {
  const old = oldNode();
  const one = await testHome();
  const report = await tempi(["doctor"], one.environment, old);
  expect(report.stdout).toMatch(/✓ node: v2[4-9]\./);
  expect(await tempi(["logs", "nobody"], one.environment, old)).toMatchObject({ code: 2 });

  const alone = join(one.home.root, "alone", "bin", "tempi");
  mkdirSync(join(alone, ".."), { recursive: true });
  copyFileSync(bin, alone);
  writeFileSync(join(alone, "../../package.json"), '{ "type": "module" }');
  const refused = await tempi(["status"], one.environment, old, alone);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    old === undefined
      ? /tempi: the program or its dependencies are not complete\. Next: npm ci/
      : /^tempi: Node (1[89]|2[0-3])\.[\d.]+ is too old; 24 is needed .* Next: npm install/,
  );
});
