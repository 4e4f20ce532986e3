import { type Command, InvalidArgumentError } from "commander";
import { type Home, homeOf } from "../config/home.ts";
import type { InitFlags } from "./init/init-command.ts";
import type { WebFlags } from "./web-command.ts";

/** What the machine commands need; what is left out is this process's own. */
export interface MachineServices {
  home?: () => Home;
  environment?: NodeJS.ProcessEnv;
  /** Results. */
  write?: (text: string) => void;
  /** Progress and notes, without line break. */
  say?: (line: string) => void;
  /** Whether a person looks at it: then pictures are printed, too. */
  terminal?: boolean;
  /** Program started as worker, for tests. */
  workerProgram?: string;
}

/** The same with nothing left out. */
export interface MachineContext {
  home: Home;
  environment: NodeJS.ProcessEnv;
  write: (text: string) => void;
  say: (line: string) => void;
  /** Whether a person looks at it: then pictures are printed, too. */
  terminal?: boolean;
  workerProgram: string | undefined;
}

export interface UpFlags {
  detach?: boolean;
  yes?: boolean;
  idleExit?: number;
  temporalProfile?: string;
}

/**
 * Adds `init`, `up`, `down`, `restart`, `web`, `status`, `doctor`, `logs`, `trust`, `rules`, `config` and `models`. Their code loads when one of them
 * runs. They throw errors for a person and set `process.exitCode` where they end otherwise.
 */
export function registerMachineCommands(program: Command, services: MachineServices = {}): void {
  const context = (): MachineContext => ({
    home: (services.home ?? homeOf)(),
    environment: services.environment ?? process.env,
    write: services.write ?? ((text) => void process.stdout.write(text)),
    say: services.say ?? ((line) => void process.stderr.write(`${line}\n`)),
    terminal: services.terminal ?? Boolean(process.stdout.isTTY && process.stderr.isTTY),
    workerProgram: services.workerProgram,
  });
  const machine = (signature: string, words: string) =>
    program.command(signature).description(words).helpGroup("Machine:");

  machine("init", "choose provider, key and model; asks what flags leave open")
    .option("--provider <name>", "openai, deepseek, openrouter …, or a name of your own with --base-url")
    .option("--base-url <url>", "address of its API")
    .option("--key-env <name>", "name of the variable that holds the key")
    .option("--key-file <path>", "file that holds the key")
    .option("--key-command <line>", "command that prints the key")
    .option("--key-stdin", "reads the key itself from standard input and keeps it in a file of yours")
    .option("-m, --model <name>", "model")
    .action(async (flags: InitFlags) => {
      const { initCommand } = await import("./init/init-command.ts");
      const asks = Boolean(process.stdin.isTTY && process.stderr.isTTY && !flags.keyStdin);
      const terminal = { input: process.stdin, output: process.stderr };
      const questions = asks ? (await import("./init/questions.ts")).terminalQuestions(terminal) : undefined;
      await initCommand(context(), flags, { stdin: process.stdin, ...(questions ? { questions } : {}) });
    });
  machine("up", "start this machine's Temporal server, worker and web page")
    .option("-d, --detach", "in the background; returns when they are ready")
    .option("-y, --yes", "no questions: download, first use of an address")
    .option("--idle-exit <minutes>", "leave after so many minutes without open session", minutes)
    .option("--temporal-profile <name>", "use a named Temporal server (env = the TEMPORAL_* variables)")
    .action(async (flags: UpFlags) => await (await import("./up-command.ts")).upCommand(context(), flags));
  machine("down", "stop worker, page and server; sessions go on at the next start").action(
    async () => await (await import("./down-command.ts")).downCommand(context()),
  );
  machine("restart", "start all of it anew, with this terminal's provider variables").action(
    async () => await (await import("./up-command.ts")).restartCommand(context()),
  );
  machine("web", "the page: the link that opens it")
    .option("--lan [address]", "let another device in, by a code that pairs it")
    .option("--no-lan", "shut the local network out again")
    .option("--public-url <url>", "the page's address behind a proxy with TLS (off = none)")
    .action(async (flags: WebFlags) => await (await import("./web-command.ts")).webCommand(context(), flags))
    .command("devices")
    .description("devices that may use the page")
    .option("--revoke <id>", "shut one out")
    .action(async (flags: { revoke?: string }) =>
      (await import("./web-devices-command.ts")).webDevicesCommand(context(), flags),
    );
  machine("status", "what runs here")
    .option("--json", "as one JSON value")
    .action(async (flags: { json?: boolean }) => (await import("./status-command.ts")).statusCommand(context(), flags));
  machine("doctor", "check everything that must be right, with the command that mends it")
    .option("--report", "also versions and paths, to paste into an issue; no secrets")
    .action(
      async (flags: { report?: boolean }) =>
        await (await import("./doctor-command.ts")).doctorCommand(context(), flags),
    );
  machine("logs [name]", "logs of server, worker, web or up (the supervisor)")
    .option("-f, --follow", "go on printing")
    .option("-n, --lines <number>", "lines to begin with", count, 50)
    .action(async (name: string | undefined, flags: { follow?: boolean; lines: number }) =>
      (await import("./logs-command.ts")).logsCommand(context(), name, flags),
    );
  machine("trust [folder]", "let the extensions and rules in a folder's .tempi count, as they are now")
    .option("--revoke", "take it back")
    .action(async (folder: string | undefined, flags: { revoke?: boolean }) =>
      (await import("./trust-command.ts")).trustCommand(context(), folder, flags),
    );
  machine("rules", "list the rules of allow, ask and deny, with their origin")
    .option("--forget <number>", "take back a rule that an approval wrote", (text: string) => whole(text, 1))
    .helpGroup("Answer:")
    .action(async (flags: { forget?: number }) => (await import("./rules-command.ts")).rulesCommand(context(), flags));
  machine("config", "print every setting with its origin")
    .option("--json", "as one JSON value")
    .action(async (flags: { json?: boolean }) => (await import("./config-command.ts")).configCommand(context(), flags));
  machine("models", "the models that can be asked, and what is wrong with those the configuration names")
    .option("--json", "as one JSON value")
    .action(
      async (flags: { json?: boolean }) => await (await import("./models-command.ts")).modelsCommand(context(), flags),
    );
}

const count = (text: string): number => whole(text, 0);
const minutes = (text: string): number => whole(text, 1);

function whole(text: string, minimum: number): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text) || value < minimum) {
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} on.`);
  }
  return value;
}
