import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Home, homeOf, prepareHome } from "../../src/config/home.ts";
import { downCommand } from "../../src/main/down-command.ts";
import type { MachineContext } from "../../src/main/machine-commands.ts";
import { untilChanged } from "../../src/main/until-changed.ts";
import { ensureUp, type UpResult } from "../../src/main/up.ts";
import { readUp, readUpFile, type UpState } from "../../src/main/up-state.ts";
import { endProcess, isAlive } from "../../src/server/process-identity.ts";
import { findRunningServers } from "../../src/server/start-dev.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";
import { temporalCli } from "../support/temporal-cli.ts";

export const fakeWorker = join(import.meta.dirname, "fake-worker.ts");

/** A home of a test, with what was said to the person. */
export interface TestHome {
  home: Home;
  environment: NodeJS.ProcessEnv;
  said: string[];
  context: MachineContext;
  up(more?: NodeJS.ProcessEnv): Promise<UpResult>;
  /** The living supervisor's state. */
  state(): UpState;
  /** Waits on changes of the state file. */
  until(condition: (state: UpState) => boolean): Promise<UpState>;
  down(): Promise<void>;
}

const homes: TestHome[] = [];

/** Makes a home; `stopAll` ends whatever runs in it. The page runs only `withWeb`: it costs each start a process more. */
export async function testHome(root = temporaryFolder("up"), { withWeb = false } = {}): Promise<TestHome> {
  const home = homeOf({ TEMPI_HOME: root });
  prepareHome(home);
  if (!withWeb) writeFileSync(home.configFile, '[web]\nstart = "off"\n');
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: root,
    TEMPI_HOME: root,
    TEMPI_TEMPORAL_CLI: await temporalCli(),
  };
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const context: MachineContext = {
    home,
    environment,
    write: say,
    say,
    workerProgram: fakeWorker,
  };
  const one: TestHome = {
    home,
    environment,
    said,
    context,
    up: (more = {}) =>
      ensureUp({
        home,
        environment: { ...environment, ...more },
        onMessage: say,
        yes: true,
        workerProgram: fakeWorker,
      }),
    state: () => readUp(home)!,
    until: (condition) =>
      untilChanged(home.run, AbortSignal.timeout(20_000), () => {
        const state = readUpFile(home);
        return state && condition(state) ? state : undefined;
      }),
    down: () => downCommand(context),
  };
  homes.push(one);
  return one;
}

/** Breaks or mends the fake worker of a home. */
export const breakWorker = (home: Home): void => writeFileSync(join(home.root, "worker-is-broken"), "");

/** Ends everything at once: an orderly stop takes seconds and has its own tests. */
export async function stopAll(): Promise<void> {
  for (const { home } of homes.splice(0)) {
    const state = readUpFile(home);
    const servers = findRunningServers(home.databaseFile).map(({ identity }) => identity);
    for (const one of [state, state?.worker, state?.web, ...servers]) if (isAlive(one)) await endProcess(one, 0);
  }
}
