import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Home, homeOf, prepareHome } from "../src/config/home.ts";
import { ensureUp } from "../src/main/up.ts";
import { readUp, readUpFile, type UpState } from "../src/main/up-state.ts";
import { identityOf, isAlive, signalProcess } from "../src/server/process-identity.ts";
import { findRunningServers } from "../src/server/start-dev.ts";
import { runningCommands } from "./commands.ts";
import type { Guard } from "./options.ts";
import { groupText, outsideFile, type Places, type SessionPlan, sharedFile, slotOf } from "./script.ts";

const program = join(import.meta.dirname, "..", "bin", "tempi");

/** Home, workspace and environment of one run, all in one temporary folder. */
export class World {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "tempi-chaos-")));
  readonly home: Home = homeOf({ TEMPI_HOME: join(this.folder, "home") });
  readonly places: Places = { workspace: join(this.folder, "workspace"), effects: join(this.folder, "effects.log") };
  /** A folder beside the workspace that nobody may write. */
  readonly forbidden = join(this.folder, "forbidden");
  /** Stands for a key; it may be found nowhere. */
  readonly canary = `canary-${randomBytes(16).toString("hex")}`;
  readonly environment: NodeJS.ProcessEnv;
  /** Base URL of the scripted model. */
  modelUrl = "";
  readonly #broken: Guard | undefined;

  constructor(broken: Guard | undefined) {
    this.#broken = broken;
    const inherited = Object.entries(process.env).filter(
      ([name]) => name === "TEMPI_TEMPORAL_CLI" || !/^(TEMPI_|OPENAI_|npm_|VITEST|NODE_OPTIONS|INIT_CWD)/.test(name),
    );
    this.environment = {
      ...Object.fromEntries(inherited),
      TEMPI_HOME: this.home.root,
      CHAOS_KEY: this.canary,
      ...(broken ? { CHAOS_BREAK: broken } : {}),
    };
  }

  prepare(plans: readonly SessionPlan[], modelUrl: string): void {
    this.modelUrl = modelUrl;
    prepareHome(this.home);
    writeFileSync(this.home.configFile, `[providers.chaos]\nbase_url = "${modelUrl}"\nkey = { env = "CHAOS_KEY" }\n`, {
      mode: 0o600,
    });
    const { workspace, effects } = this.places;
    for (const folder of ["shared", "own", "outside"]) mkdirSync(join(workspace, folder), { recursive: true });
    symlinkSync("shared", join(workspace, "link"));
    mkdirSync(this.forbidden);
    writeFileSync(join(this.forbidden, "untouched"), "untouched\n");
    writeFileSync(effects, "");
    for (const group of new Set(plans.map((plan) => plan.group))) {
      const members = plans.filter((plan) => plan.group === group).map(({ index }) => index);
      writeFileSync(join(workspace, sharedFile(group)), groupText(group, members));
    }
    for (const { index } of plans) writeFileSync(join(workspace, outsideFile(index)), `${slotOf(index)}\nend\n`);
  }

  /** `tempi up --detach`; with a guard switched off the same supervisor, told to start another program as worker. */
  async up(): Promise<void> {
    if (this.#broken === undefined) {
      await promisify(execFile)(process.execPath, [program, "up", "--detach", "--yes"], this.#where());
      return;
    }
    await ensureUp({
      home: this.home,
      environment: this.environment,
      onMessage: () => undefined,
      yes: true,
      workerProgram: join(import.meta.dirname, "broken-worker.ts"),
    });
  }

  async down(): Promise<void> {
    await promisify(execFile)(process.execPath, [program, "down"], this.#where());
  }

  /** Ends everything without waiting, for a run that broke down itself. */
  endAtOnce(): void {
    const state = readUpFile(this.home);
    const servers = findRunningServers(this.home.databaseFile).map(({ identity }) => identity);
    const commands = runningCommands(this.home).map(({ wrapper }) => identityOf(wrapper));
    for (const one of [state, state?.worker, ...servers, ...commands]) if (isAlive(one)) signalProcess(one, "SIGKILL");
    this.remove();
  }

  attachCommand(sessionId: string): { file: string; args: string[]; options: { cwd: string; env: NodeJS.ProcessEnv } } {
    return { file: process.execPath, args: [program, "attach", sessionId, "--json"], options: this.#where() };
  }

  /** State of the living supervisor. */
  state(): UpState | undefined {
    return readUp(this.home);
  }

  forbiddenHash(): string {
    return createHash("sha256")
      .update(readFileSync(join(this.forbidden, "untouched")))
      .digest("hex");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #where() {
    return { cwd: this.places.workspace, env: this.environment };
  }
}
