import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "..", "..", "bin", "tempi");

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Standard output so far. */
  stdout(): string;
  /** Resolves when the output (stdout or stderr) holds the text. */
  says(text: string): Promise<void>;
  done: Promise<Finished>;
}

/** The real command line in a home and a workspace of its own. What it started is stopped when the test ends. */
export class Cli {
  readonly home: string;
  readonly workspace: string;
  readonly environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv = {}) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "tempi-e2e-")));
    this.home = join(folder, "home");
    this.workspace = join(folder, "workspace");
    mkdirSync(this.workspace);
    // A process less at each start; the page has its own tests.
    mkdirSync(this.home);
    writeFileSync(join(this.home, "config.toml"), '[web]\nstart = "off"\n');
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(TEMPI_|OPENAI_|npm_|VITEST|NODE_OPTIONS|INIT_CWD)/.test(name)),
    );
    this.environment = {
      ...inherited,
      TEMPI_HOME: this.home,
      TEMPI_TEMPORAL_CLI: inject("temporalCli"),
      ...environment,
    };
    onTestFinished(async () => {
      await this.run("down");
      rmSync(folder, { recursive: true, force: true });
    }, 60_000);
  }

  start(...args: string[]): Running {
    const child = spawn(bin, args, { cwd: this.workspace, env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    const out = { stdout: "", stderr: "" };
    const waiting = new Set<() => void>();
    for (const name of ["stdout", "stderr"] as const) {
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        out[name] += text;
        for (const look of waiting) look();
      });
    }
    const done = new Promise<Finished>((resolve) => child.once("close", (code) => resolve({ code, ...out })));
    return {
      child,
      stdout: () => out.stdout,
      says: (text) =>
        new Promise((resolve, reject) => {
          const look = () => {
            if (!out.stdout.includes(text) && !out.stderr.includes(text)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          void done.then(() => reject(new Error(`it ended without saying "${text}":\n${out.stdout}\n${out.stderr}`)));
          look();
        }),
      done,
    };
  }

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).done;
  }

  /** Output as one JSON value. */
  async json<T>(...args: string[]): Promise<T> {
    const { stdout, stderr } = await this.run(...args, "--json");
    try {
      return JSON.parse(stdout) as T;
    } catch {
      throw new Error(`not JSON: ${stdout}\n${stderr}`);
    }
  }

  async status(): Promise<{
    server: { pid: number; address: string; state: string };
    worker: { pid: number; state: string };
    supervisor: { pid: number };
  }> {
    return await this.json("status");
  }

  /** Events of a run with `--json`. */
  static events(stdout: string): { type: string; toolCallId?: string; [key: string]: unknown }[] {
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  /** A model that gives these answers, one per turn. */
  script(answers: unknown[]): string {
    const file = join(this.home, "..", "model.json");
    writeFileSync(file, JSON.stringify({ answers }));
    return `scripted:${file}`;
  }

  read(name: string): string {
    return readFileSync(join(this.workspace, name), "utf8");
  }
}

export const bashAnswer = (command: string, text = "working") => ({
  text,
  calls: [{ name: "bash", arguments: { command } }],
});
