import { existsSync } from "node:fs";
import { type ProgramOptions, runProgram, sayError } from "../cli/program.ts";
import type { CliServices, ConnectedClient } from "../cli/services.ts";
import { UsageError } from "../config/errors.ts";
import { type Home, HomeError, homeOf } from "../config/home.ts";
import type { Config } from "../config/load.ts";
import type { ModelSettings } from "../protocol/session.ts";
import { modelSettings, personHere, sessionSettings } from "./session-settings.ts";
import { version } from "./version.ts";
import { workingFolder } from "./working-folder.ts";

/** Minutes without an open session after which a server that a session command started leaves. */
const idleExitMinutes = 60;
/** A handle that a library left open must not keep a finished command alive. */
const lingerMs = 2_000;

/** The command line `tempi …`; sets the exit code of the process. */
export async function main(argv: string[]): Promise<void> {
  quietBrokenPipe();
  let connected = false;
  const streams = { stderr: process.stderr, environment: process.env };
  // What escapes every promise (a callback that throws) is an error of ours too: one line, and the terminal put back.
  process.on("uncaughtException", (error) => process.exit(sayError(error, streams)));
  try {
    if (process.platform === "win32") throw new UsageError("Windows is not supported", "use WSL 2");
    const home = openHome();
    const services = servicesOf(home, () => {
      connected = true;
    });
    const code = await runProgram(argv, { services, version, registerMachine: machineCommands });
    // A machine command may have set its own.
    if (code !== 0 || process.exitCode === undefined) process.exitCode = code;
  } catch (error) {
    process.exitCode = sayError(error, streams);
  }
  if (connected) setTimeout(() => process.exit(), lingerMs).unref();
}

const machineCommands: ProgramOptions["registerMachine"] = async (program) => {
  const { registerMachineCommands } = await import("./machine-commands.ts");
  registerMachineCommands(program);
  program
    .command("demo")
    .description("a failing project, a scripted model, a killed worker: all in a home of its own")
    .action(async () => {
      const [{ runDemo }, { stopHome }] = await Promise.all([import("./demo/demo.ts"), import("./stop-home.ts")]);
      await runDemo({ servicesOf: (home) => servicesOf(home, () => undefined), stop: stopHome });
    });
};

function openHome(): Home {
  try {
    return homeOf();
  } catch (error) {
    if (error instanceof HomeError) throw new UsageError(error.message, "export TEMPI_HOME=/an/absolute/path");
    throw error;
  }
}

function servicesOf(home: Home, onConnect: () => void): CliServices {
  let config: Promise<Config> | undefined;
  const loaded = (): Promise<Config> => {
    config ??= import("./rules.ts").then(({ loadCheckedConfig }) => loadCheckedConfig(home));
    return config;
  };
  const cwd = workingFolder(process.env);
  return {
    cwd,
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => Date.now(),
    person: personHere,
    connect: async (options = {}) => {
      onConnect();
      return connect(home, options);
    },
    hasSessions: () => existsSync(home.databaseFile) || existsSync(home.configFile),
    checkModel: async (model) => await checkModel(home, model, (await loaded()).values),
    model: async (name) => {
      const { values } = await loaded();
      const model = await modelSettings(values, name, cwd);
      await checkModel(home, model, values);
      return model;
    },
    images: async (paths, model) => {
      if (paths.length === 0) return [];
      const { promptImages } = await import("./prompt-images.ts");
      return promptImages(paths, cwd, model, (await loaded()).values);
    },
    settings: async (flags, folder) => sessionSettings((await loaded()).values, flags, folder),
    defaults: async () => {
      const { values } = await loaded();
      const { notifyTargets } = await import("../config/notify.ts");
      return { notify: notifyTargets(values).terminal, onAsk: values.on_ask };
    },
    commandEnvironment: async () => {
      const { commandEnvironment } = await import("../tools/command-environment.ts");
      return commandEnvironment(process.env);
    },
    onSignal: (signal, handler) => {
      process.on(signal, handler);
      return () => process.off(signal, handler);
    },
  };
}

async function checkModel(home: Home, model: ModelSettings, values: Config["values"]): Promise<void> {
  if (model.provider === "scripted") return;
  const { checkModelName } = await import("./check-model-name.ts");
  await checkModelName(home, model, values, process.env);
}

async function connect(home: Home, options: { yes?: boolean; reading?: boolean }): Promise<ConnectedClient> {
  const [{ ensureUp }, { connectSessionClient }] = await Promise.all([
    import("./up.ts"),
    import("../client/connect.ts"),
  ]);
  const up = await ensureUp({
    home,
    onMessage: (text: string) => process.stderr.write(`${text}\n`),
    environment: process.env,
    yes: options.yes ?? false,
    needWorker: !options.reading,
    idleExitMinutes,
  });
  const client = await connectSessionClient({ ...up, home });
  return up.uiUrl ? Object.assign(client, { uiUrl: up.uiUrl }) : client;
}

/** The reader of our output may leave at any time (`| head -1`): that is no error, and the session goes on. */
function quietBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(141);
      // The terminal is gone; the hang-up signal that comes with it decides what happens.
      if (error.code === "EIO") return;
      throw error;
    });
  }
}
