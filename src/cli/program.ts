import { Command, CommanderError } from "commander";
import { errorLine, isUserError, UsageError, UserError } from "../config/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { ownWordFor } from "./foreign-words.ts";
import { helpGroups, registerSessionCommands } from "./register.ts";
import type { CliServices } from "./services.ts";
import { sanitise } from "./text/sanitise.ts";

export interface ProgramOptions {
  services: CliServices;
  version: string;
  /** Adds the machine commands; they set `done` with their own exit code. */
  registerMachine: (program: Command, done: (code: number) => void) => Promise<void> | void;
}

/** Runs one command line and returns its exit code; every error is said here, in one line with the next step. */
export async function runProgram(args: readonly string[], options: ProgramOptions): Promise<number> {
  const { services } = options;
  let code: number = exitCodes.answered;
  const done = (result: number): void => {
    code = result;
  };
  try {
    const program = await buildProgram(options, done);
    const first = args[0];
    if (args.length === 0) return await alone(program, services);
    if (args.length === 1 && first !== undefined && /\s/.test(first)) {
      // One argument with a blank is a task, also when it is only blanks: then the prompt is named as empty.
      return await (await import("./commands/run.ts")).runCommand(services, [first], {});
    }
    const known = program.commands.some((command) => command.name() === first);
    const own = first === undefined || known ? undefined : ownWordFor(first);
    if (own !== undefined) throw new UsageError(`tempi says ${own}`, `tempi ${own}`);
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    return sayError(error, services);
  }
}

async function buildProgram(options: ProgramOptions, done: (code: number) => void): Promise<Command> {
  const { services } = options;
  const program = new Command("tempi")
    .description("A durable coding agent: close the terminal, the task goes on.")
    .usage('[command] [options]   or: tempi "what to do"')
    .version(options.version, "-V, --version")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => services.stdout.write(text),
      // Errors are said once, by `sayError`.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => services.stdout.columns ?? 80,
    })
    .configureHelp({
      // Only names and arguments: that every command has options is no news.
      subcommandTerm: (command) =>
        [
          command.name(),
          ...command.registeredArguments.map((one) => argumentText(one.name(), one.required, one.variadic)),
        ].join(" "),
    })
    .helpCommand(false);
  registerSessionCommands(program, services, done);
  const before = program.commands.length;
  await options.registerMachine(program, done);
  for (const command of program.commands.slice(before)) {
    if (!command.helpGroup()) command.helpGroup(helpGroups.machine);
  }
  program.addHelpText(
    "after",
    "\nExit codes: 0 answered, 1 failed or blocked, 2 usage, 3 waits for you, 4 stopped, 5 limit, 130 left.",
  );
  return program;
}

function argumentText(name: string, required: boolean, variadic: boolean): string {
  const text = variadic ? `${name}...` : name;
  return required ? `<${text}>` : `[${text}]`;
}

async function alone(program: Command, services: CliServices): Promise<number> {
  if (services.stdin.isTTY && services.stdout.isTTY) {
    return (await import("./commands/overview.ts")).overviewCommand(services);
  }
  services.stdout.write(program.helpInformation());
  return exitCodes.answered;
}

/** `tempi: what is wrong. Next: command` on stderr; the stack only with TEMPI_DEBUG=1. Returns the exit code. */
export function sayError(error: unknown, services: Pick<CliServices, "stderr" | "environment">): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.answered;
    const words = error.message
      .replace(/^error: /, "")
      .replace(/\s*\n\s*/g, ". ")
      .replace("(Did you mean ", "Did you mean ")
      .replace("?)", "?");
    services.stderr.write(`tempi: ${sentence(sanitise(words))} Next: tempi --help\n`);
    return exitCodes.usage;
  }
  const lost = error instanceof Error && error.name === "SessionNotFound";
  const shown = lost ? new UserError(error.message, { next: "tempi list --all" }) : error;
  services.stderr.write(`${sanitise(errorLine(shown))}\n`);
  const debug = services.environment.TEMPI_DEBUG === "1";
  if (debug && error instanceof Error) services.stderr.write(`${error.stack}\n`);
  return isUserError(error) ? error.exitCode : exitCodes.failed;
}

const sentence = (text: string): string => (/[.!?]$|\n/.test(text) ? text : `${text}.`);
