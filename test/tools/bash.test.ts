import { existsSync, readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Check, Convert } from "@sinclair/typebox/value";
import { describe, expect, test } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
import { bashTool, createBashTool } from "../../src/tools/bash.ts";
import { commandEnvironment } from "../../src/tools/command-environment.ts";
import { readTool } from "../../src/tools/read.ts";
import { endProcess, waitFor } from "./processes.ts";
import { contextFor, nextCall, runTool, temporaryFolder } from "./support.ts";

describe("bash: output", () => {
  test("gives stdout and stderr in arrival order with details", async () => {
    const ctx = await contextFor();
    const result = await runTool(bashTool, { command: "echo a; echo b >&2; echo c" }, ctx);
    expect(result).toMatchObject({ text: "a\nb\nc", isError: false });
    expect(result.details).toMatchObject({ exitCode: 0, outputBytes: 6, truncated: false });
    expect(readFileSync(result.details!.outputFile, "utf8")).toBe("a\nb\nc\n");
    expect(statSync(result.details!.outputFile).mode & 0o777).toBe(0o600);
  });

  test("a quick command comes back quickly", async () => {
    const durations: number[] = [];
    for (let index = 0; index < 5; index++) {
      const ctx = await contextFor();
      const start = performance.now();
      await runTool(bashTool, { command: "echo hi" }, ctx);
      durations.push(performance.now() - start);
    }
    expect(Math.min(...durations)).toBeLessThan(60);
  });

  test("stdin is empty and closed", async () => {
    expect((await runTool(bashTool, { command: "cat; echo after" }, await contextFor())).text).toBe("after");
  });

  test("a script that reopens /dev/stderr or /dev/stdout loses nothing", async () => {
    const command = "echo a; echo b > /dev/stderr; echo c > /dev/stdout; echo d";
    expect((await runTool(bashTool, { command }, await contextFor())).text).toBe("a\nb\nc\nd");
  });

  test.each([
    ["true", "(no output)"],
    ["printf '\\r\\n'", "(only blank output, 2 bytes)"],
  ])("no visible output is put into words: %s", async (command, text) => {
    expect((await runTool(bashTool, { command }, await contextFor())).text).toBe(text);
  });

  test("keeps the tail of 2500 lines and names the file with all of it, also for read (case 50)", async () => {
    const ctx = await contextFor();
    const { text, details } = await runTool(bashTool, { command: "seq 1 2500" }, ctx);
    expect(text.startsWith("501\n502\n")).toBe(true);
    expect(text).toContain("\n2500\n\n[Lines 501-2500 of 2500. Full output (");
    expect(text).toContain(details!.outputFile);
    expect(details!.truncated).toBe(true);
    const read = await runTool(readTool, { path: details!.outputFile, limit: 2 }, await nextCall(ctx));
    expect(read.text.startsWith("1\n2\n")).toBe(true);
  });

  test("2000 lines with a final newline are not cut", async () => {
    const { text, details } = await runTool(bashTool, { command: "seq 1 2000" }, await contextFor());
    expect(text.startsWith("1\n2\n")).toBe(true);
    expect(details!.truncated).toBe(false);
  });

  test("shows the end of one very long last line with its true size (case 50)", async () => {
    const command = "printf 'a\\nb\\n'; head -c 150000 /dev/zero | tr '\\0' x";
    const { text, details } = await runTool(bashTool, { command }, await contextFor());
    expect(text.startsWith("x".repeat(51200))).toBe(true);
    expect(text).toContain("the line has 150000 bytes");
    expect(statSync(details!.outputFile).size).toBe(150_004);
  });

  test("characters cut between two writes stay whole (case 23)", async () => {
    const command = "printf '\\xe4\\xb8'; sleep 0.15; printf '\\xad'; sleep 0.15; printf '文内容'";
    const updates: string[] = [];
    const { text } = await runTool(bashTool, { command }, await contextFor(), {
      onUpdate: (partial) => updates.push(partial.content.map((block) => "text" in block && block.text).join("")),
    });
    expect(text).toBe("中文内容");
    expect(updates.join("")).not.toContain("\uFFFD");
  });

  test("bytes that are not UTF-8, and NUL, are made harmless", async () => {
    const { text, details } = await runTool(bashTool, { command: "printf 'a\\xffb\\0c'" }, await contextFor());
    expect(text).toBe("a\uFFFDb\uFFFDc");
    expect(readFileSync(details!.outputFile)).toEqual(Buffer.from([0x61, 0xff, 0x62, 0, 0x63]));
  });

  test("updates carry the tail, at most every 100 ms", async () => {
    const times: number[] = [];
    let last = "";
    await runTool(
      bashTool,
      { command: "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.05; done" },
      await contextFor(),
      {
        onUpdate: (partial) => {
          times.push(performance.now());
          last = textOf(partial.content);
        },
      },
    );
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(7);
    expect(last.startsWith("1\n2")).toBe(true);
  });

  test("endless output keeps memory bounded until the timeout", async () => {
    const before = process.memoryUsage().rss;
    // A fast disk takes more than the limit of the spool within a second.
    const roomy = createBashTool({ spoolBytes: 20_000_000_000 });
    const { text, details, isError } = await runTool(roomy, { command: "yes", timeout: 0.3 }, await contextFor());
    expect(isError).toBe(true);
    expect(text).toContain("timed out after 0.3 s");
    expect(details!.outputBytes).toBeGreaterThan(1_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("a command that writes too much is killed and told so", async () => {
    const small = createBashTool({ spoolBytes: 1_000_000 });
    const { text, isError } = await runTool(small, { command: "yes" }, await contextFor());
    expect(isError).toBe(true);
    expect(text).toContain("Command killed: it wrote too much output");
  });

  test("output that cannot be stored is told (disk full)", async () => {
    const broken = createBashTool({ catPaths: ["/bin/false", "/usr/bin/false"] });
    const { text } = await runTool(broken, { command: "sleep 0.1; echo x" }, await contextFor());
    expect(text).toContain("[A part of the output could not be stored; its writer failed.]");
    const full = await programThat("exec cat >/dev/full");
    const told = await runTool(createBashTool({ catPaths: [full] }), { command: "echo x" }, await contextFor());
    expect(told.text).toContain("[A part of the output could not be stored; is the disk full?]");
    const killed = await programThat("kill -9 $$");
    const named = await runTool(createBashTool({ catPaths: [killed] }), { command: "echo x" }, await contextFor());
    expect(named.text).toContain("its writer was killed by SIGKILL.]");
  });

  /** A program in the place of cat. */
  async function programThat(line: string): Promise<string> {
    const path = join(temporaryFolder(), "writer");
    await writeFile(path, `#!/bin/bash\n${line}\n`, { mode: 0o755 });
    return path;
  }
});

describe("bash: ends", () => {
  test("an exit code other than 0 is an error with output and code", async () => {
    const result = await runTool(bashTool, { command: "echo out; exit 3" }, await contextFor());
    expect(result).toMatchObject({ text: "out\n\nCommand exited with code 3.", isError: true });
    expect(result.details!.exitCode).toBe(3);
  });

  test.each([
    ["kill -9 $$", 137, "SIGKILL"],
    ["kill -TERM $$", 143, "SIGTERM"],
    ["kill -SEGV $$", 139, "SIGSEGV"],
  ])("%s is 128 + n with the signal's name", async (command, code, name) => {
    const { text, details, isError } = await runTool(bashTool, { command }, await contextFor());
    expect(isError).toBe(true);
    expect(details!.exitCode).toBe(code);
    expect(text).toContain(`code ${code} (killed by ${name})`);
    expect(text).not.toContain("Killed");
  });

  test("the end of the part of the wrapper above the shell still leaves a code", async () => {
    const { details } = await runTool(bashTool, { command: "kill -9 $PPID; sleep 0.2" }, await contextFor());
    expect(details!.exitCode).toBe(137);
  });

  test("the whole wrapper killed: waits for its group, then says that it may have run", async () => {
    const ctx = await contextFor();
    const command = `kill -9 $(cut -f1 ${ctx.callFolder}/pid) $PPID; sleep 0.3; touch late`;
    const { text, isError, details } = await runTool(bashTool, { command }, ctx);
    expect(isError).toBe(true);
    expect(text).toContain("interrupted, may have run: it was killed by SIGKILL");
    expect(text).not.toContain("disk full");
    expect(details!.exitCode).toBeNull();
    expect(existsSync(join(ctx.cwd, "late"))).toBe(true);
  });

  test("the whole group killed while the worker lives: the signal is named, nobody else is blamed (F05)", async () => {
    const ctx = await contextFor();
    const command = `echo on; kill -9 -$(cut -f1 ${ctx.callFolder}/pid)`;
    const { text, isError } = await runTool(bashTool, { command }, ctx);
    expect(isError).toBe(true);
    expect(text).toContain(
      "Command interrupted, may have run: it was killed by SIGKILL, and its exit code is not known.",
    );
    expect(text).not.toMatch(/worker or the machine|disk full/);
  });

  test.each([
    ["a quiet child", "sleep 30 & echo $! > child; echo done"],
    ["a child that goes on writing", "(while true; do echo tick; sleep 0.05; done) & echo $! > child; echo done"],
  ])("returns soon after the shell although %s holds the output (case 46)", async (_name, command) => {
    const ctx = await contextFor();
    const start = performance.now();
    const { text, isError, details } = await runTool(bashTool, { command }, ctx);
    endProcess(Number(readFileSync(join(ctx.cwd, "child"), "utf8")));
    expect(performance.now() - start).toBeLessThan(1000);
    expect(isError).toBe(false);
    expect(details!.exitCode).toBe(0);
    expect(text).toContain("done");
  });

  const stubborn = `sh -c 'trap "" TERM; (sleep 2; touch leaked) & echo started; wait'`;

  test("a timeout kills the whole group and keeps the output (case 47)", async () => {
    const ctx = await contextFor();
    const start = performance.now();
    const result = await runTool(bashTool, { command: stubborn, timeout: 1 }, ctx);
    expect(performance.now() - start).toBeLessThan(1600);
    expect(result).toMatchObject({
      isError: true,
      text: "started\n\nCommand timed out after 1 s and was killed.",
    });
    await waitFor(() => performance.now() - start > 2300);
    expect(existsSync(join(ctx.cwd, "leaked"))).toBe(false);
  });

  test("an abort stops a group that ignores TERM within 2 seconds and keeps the output (case 47)", async () => {
    const ctx = await contextFor();
    const abort = new AbortController();
    const start = performance.now();
    const running = runTool(bashTool, { command: stubborn }, ctx, {
      signal: abort.signal,
      onUpdate: () => abort.abort(new Error("stop")),
    });
    const result = await running;
    expect(performance.now() - start).toBeLessThan(2000);
    expect(result).toMatchObject({ isError: true, text: "started\n\nCommand aborted." });
    await waitFor(() => performance.now() - start > 2400);
    expect(existsSync(join(ctx.cwd, "leaked"))).toBe(false);
  });

  test("an abort lets a command clean up and keeps its last words", async () => {
    const abort = new AbortController();
    const command = `trap 'echo bye; exit 0' TERM; echo on; sleep 20 & wait`;
    const { text } = await runTool(bashTool, { command }, await contextFor(), {
      signal: abort.signal,
      onUpdate: () => abort.abort(),
    });
    expect(text).toContain("on\nbye");
  });

  test("jobs with groups of their own are killed too", async () => {
    const ctx = await contextFor();
    const start = performance.now();
    const command = "set -m; (sleep 1.2; touch leaked) & wait";
    await runTool(bashTool, { command, timeout: 0.3 }, ctx);
    await waitFor(() => performance.now() - start > 1600);
    expect(existsSync(join(ctx.cwd, "leaked"))).toBe(false);
  });

  test("an abort before the start runs nothing", async () => {
    const ctx = await contextFor();
    const running = runTool(bashTool, { command: "touch ran" }, ctx, { signal: AbortSignal.abort() });
    await expect(running).rejects.toThrow("did not run");
    expect(existsSync(join(ctx.cwd, "ran"))).toBe(false);
  });
});

describe("bash: arguments (cases 49, B26–B28)", () => {
  test.each([0, -1, -5, 1e12, 86_401, Number.NaN, Number.POSITIVE_INFINITY])(
    "timeout %s is refused",
    async (timeout) => {
      const ctx = await contextFor();
      const params = { command: "touch ran", timeout };
      await expect(runTool(bashTool, params, ctx)).rejects.toThrow("above 0 and at most 86400 seconds");
      await expect(bashTool.preview!(params, ctx)).rejects.toThrow("above 0 and at most 86400 seconds");
      expect(existsSync(join(ctx.cwd, "ran"))).toBe(false);
    },
  );

  test("a timeout that is no number is left to the schema, and a number as text is one", () => {
    const convert = (timeout: unknown) => Convert(bashTool.parameters, { command: "ls", timeout });
    expect(Check(bashTool.parameters, convert("abc"))).toBe(false);
    expect(convert("5")).toEqual({ command: "ls", timeout: 5 });
  });

  test.each([
    ["", "command is empty"],
    ["  \n ", "command is empty"],
    ["echo a\0b", "NUL"],
    [`echo ${"a".repeat(130_000)}`, "120 KB"],
  ])("a command that cannot run says why (%#)", async (command, message) => {
    await expect(runTool(bashTool, { command }, await contextFor())).rejects.toThrow(message);
  });

  test("a long command within the limit runs", async () => {
    const command = `true ${"a".repeat(110_000)}; echo ok`;
    expect((await runTool(bashTool, { command }, await contextFor())).text).toBe("ok");
  });

  test("a missing working folder and a missing shell have their own errors", async () => {
    const ctx = await contextFor();
    const none = createBashTool({ bashPaths: ["/nowhere/bash"] });
    const bare = { ...ctx, environment: { PATH: "/nowhere" } };
    await expect(runTool(none, { command: "ls" }, bare)).rejects.toThrow("bash was not found");
    await rm(ctx.cwd, { recursive: true });
    await expect(runTool(bashTool, { command: "ls" }, ctx)).rejects.toThrow("working folder does not exist");
  });
});

describe("bash: environment", () => {
  test("is the recorded one plus the session, never the worker's", async () => {
    process.env.TEMPI_TEST_KEY = "@KEY@";
    const ctx = await contextFor({ environment: { PATH: process.env.PATH ?? "", ONLY: "this" } });
    const { text } = await runTool(bashTool, { command: "env" }, ctx);
    delete process.env.TEMPI_TEST_KEY;
    const names = text.split("\n").map((line) => line.split("=")[0]);
    // PWD, SHLVL and _ are bash's own.
    expect(names.filter((name) => !["PWD", "SHLVL", "_"].includes(name!)).sort()).toEqual([
      "ONLY",
      "PATH",
      "TEMPI_SESSION",
    ]);
    expect(text).toContain("TEMPI_SESSION=abc234");
    expect(text).not.toContain("@KEY@");
  });

  test("no shell state is kept between calls (S07)", async () => {
    const ctx = await contextFor();
    await runTool(bashTool, { command: "export LEAK=1; cd /" }, ctx);
    const { text } = await runTool(bashTool, { command: 'echo "[$LEAK]"; pwd' }, await nextCall(ctx));
    expect(text).toBe(`[]\n${ctx.cwd}`);
  });

  test("commandEnvironment takes the allow list only", () => {
    const given = {
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      CONDA_PREFIX: "/c",
      NVM_DIR: "/n",
      XDG_CACHE_HOME: "/x",
      TEMPI_HOME: "/t",
      TEMPI_TEMPORAL_CLI: "/t/temporal",
      TEMPI_MODEL: "m",
      CONDA_TOKEN: "s",
      NVM_API_KEY: "s",
      LC_PASSWORD: "s",
      OPENAI_API_KEY: "s",
      GITHUB_TOKEN: "s",
      BASH_ENV: "/evil",
      LD_PRELOAD: "/evil",
      GIT_EXTERNAL_DIFF: "evil",
      NODE_OPTIONS: "--require evil",
      OTHER: "x",
      TZ: undefined,
    };
    expect(commandEnvironment(given)).toEqual({
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      CONDA_PREFIX: "/c",
      NVM_DIR: "/n",
      XDG_CACHE_HOME: "/x",
      TEMPI_HOME: "/t",
      TEMPI_TEMPORAL_CLI: "/t/temporal",
    });
  });
});

describe("bash: preview", () => {
  test("shows the command on one line and resolves its program", async () => {
    const ctx = await contextFor();
    const preview = await bashTool.preview!({ command: "ls  -l\n" }, ctx);
    expect(preview).toMatchObject({
      summary: "ls -l",
      display: [{ kind: "command", command: "ls  -l\n", cwd: ctx.cwd }],
      paths: [],
    });
    expect(preview.digestParts[0]).toBe(`PATH ${ctx.environment.PATH}`);
    expect(preview.digestParts[1]).toMatch(/^program \/.*ls|program \/.*coreutils/);
  });

  test("cuts a long line and shows control characters", async () => {
    const preview = await bashTool.preview!({ command: `echo \u001b[2J ${"x".repeat(300)}` }, await contextFor());
    expect(preview.summary).toHaveLength(120);
    expect(preview.summary).toContain("\\u001b[2J");
    expect(preview.summary.endsWith("…")).toBe(true);
  });

  test("another program first on PATH makes another digest (A03)", async () => {
    const ctx = await contextFor();
    const before = await bashTool.preview!({ command: "mytool" }, ctx);
    await writeFile(join(ctx.cwd, "mytool"), "#!/bin/sh\n", { mode: 0o755 });
    const environment = { ...ctx.environment, PATH: `${ctx.cwd}:${ctx.environment.PATH}` };
    const after = await bashTool.preview!({ command: "mytool" }, { ...ctx, environment });
    expect(after.digestParts).not.toEqual(before.digestParts);
    expect(after.digestParts[1]).toBe(`program ${join(ctx.cwd, "mytool")}`);
  });
});
