import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const requirement = "llmock==0.2.2";

/** Folder of PyPI's `llmock`, installed when it is not there; `.ci/run` puts it into the same place before the tests. */
export async function installLlmock(): Promise<string> {
  const cache = process.env.TEMPI_CI_CACHE ?? join(tmpdir(), "tempi-ci");
  const folder = join(cache, requirement.replace("==", "-"));
  if (existsSync(join(folder, "llmock"))) return folder;
  const fresh = `${folder}.${process.pid}`;
  // Python's own shims need the user's environment; pip's question whether there is a newer pip does not.
  const options = { env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_ROOT_USER_ACTION: "ignore" } };
  await promisify(execFile)("python3", ["-m", "pip", "install", "--quiet", "--target", fresh, requirement], options);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another run was quicker.
    if (!existsSync(join(folder, "llmock"))) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

export interface Verdict {
  passed: boolean;
  calls: number;
  attempts: number;
  faults_injected: number;
  findings: { severity: string; code: string; title: string }[];
}

/** A server that breaks its answers as it is told, and judges what the client made of it. */
export class Llmock {
  /** Without `/v1`. */
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(): Promise<Llmock> {
    const folder = await installLlmock();
    const program = "from llmock.cli import app; app()";
    // With a pause between pieces, as a model makes it: a whole answer in one packet hides whether the client hung up.
    const options = ["--port", "0", "--stream-chunk-delay-ms", "50"];
    const child = spawn("python3", ["-c", program, "serve", ...options], {
      env: { ...process.env, PYTHONPATH: folder, PYTHONUNBUFFERED: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return await new Promise((resolve, reject) => {
      let said = "";
      const look = (text: string) => {
        said += text;
        const address = /running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
        if (address) resolve(new Llmock(address, child));
      };
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", look);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`llmock ended with ${code}:\n${said}`)));
    });
  }

  /** Queues behaviours; each goes to the first request that fits its `match`. */
  async will(behaviors: object[]): Promise<void> {
    const body = JSON.stringify({ behaviors });
    const response = await fetch(`${this.url}/_llmock/scenario`, { method: "POST", body });
    if (!response.ok) throw new Error(`llmock refused the scenario: ${await response.text()}`);
  }

  async verdict(): Promise<Verdict> {
    return (await (await fetch(`${this.url}/_llmock/verdict`)).json()) as Verdict;
  }

  async report(): Promise<string> {
    return await (await fetch(`${this.url}/_llmock/verdict?format=text`)).text();
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}
