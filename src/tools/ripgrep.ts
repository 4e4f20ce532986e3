import { spawn } from "node:child_process";

/** Milliseconds after which a search is stopped. */
export const searchTimeoutMs = 60_000;
/** Bytes of error text kept. */
const maximumErrors = 8 * 1024;

/**
 * What every run has. No configuration of the user, no helper programs; git's ignore rules count also where no repository
 * is yet, and hidden files are files like others. Sorting costs the use of several cores, but the same search gives the
 * same answer each time.
 */
const commonArguments = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--glob=!.git",
  "--sort=path",
  "--no-ignore-messages",
];

export interface RipgrepOptions {
  arguments: readonly string[];
  /** The folder that globs and results are relative to. */
  cwd: string;
  /** Of the session; only what git needs to find its global ignore file is passed on. */
  environment: Record<string, string>;
  timeoutMs: number;
  /** Path of the program; the packaged one when absent. */
  program?: string;
  /** Takes output; false ends the search. */
  onData: (chunk: Buffer) => boolean;
}

export interface RipgrepEnd {
  /** `enough` when `onData` said so. */
  kind: "end" | "enough" | "timeout";
  /** Set when some files or folders could not be read. */
  unreadable: boolean;
  /** Set when it did not search at all: its words about the arguments. */
  refusal?: string;
}

/**
 * Runs the packaged ripgrep, never one of PATH: a workspace can plant that.
 * @throws the signal's reason once the process is gone
 */
export async function runRipgrep(options: RipgrepOptions, signal: AbortSignal): Promise<RipgrepEnd> {
  const program = options.program ?? (await ripgrepPath());
  signal.throwIfAborted();
  const child = spawn(program, [...commonArguments, ...options.arguments], {
    cwd: options.cwd,
    env: gitFolders(options.environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let kind: RipgrepEnd["kind"] = "end";
  let started = false;
  let errors = "";
  let unreadable = false;
  let fault: unknown;
  const stop = (why: RipgrepEnd["kind"]) => {
    if (kind === "end") kind = why;
    child.kill("SIGKILL");
  };
  const onAbort = () => stop("enough");
  signal.addEventListener("abort", onAbort, { once: true });
  // No time at all is over before it begins; a timer would leave it to chance whether a quick search still ends.
  if (options.timeoutMs <= 0) stop("timeout");
  const timer = setTimeout(() => stop("timeout"), options.timeoutMs);
  child.stdout.on("data", (chunk: Buffer) => {
    started = true;
    if (kind !== "end") return;
    try {
      if (!options.onData(chunk)) stop("enough");
    } catch (error) {
      fault = error;
      stop("enough");
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    unreadable ||= /\(os error \d/.test(errors.slice(-20) + text);
    errors = (errors + text).slice(0, maximumErrors);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("close", resolve);
      child.on("error", (error) => reject(new Error(`ripgrep could not be started: ${error.message}`)));
    });
    signal.throwIfAborted();
    if (fault !== undefined) throw fault;
    // It also ends with 2 for what it could not read, or for a faulty ignore file above the folder.
    const refused = kind === "end" && code === 2 && !started && !unreadable && errors.startsWith("rg: ");
    return { kind, unreadable, ...(refused ? { refusal: errors } : {}) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** The package looks for its binary when it is loaded, and throws where there is none. */
export async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    throw new Error("ripgrep, which grep and find need, is not installed for this machine. Search with bash instead.", {
      cause: error,
    });
  }
}

function gitFolders(environment: Record<string, string>): Record<string, string> {
  const names = ["HOME", "XDG_CONFIG_HOME"].filter((name) => environment[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, environment[name]!]));
}
