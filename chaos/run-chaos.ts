import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sessionIdAlphabet } from "../src/protocol/session.ts";
import { Approver } from "./approver.ts";
import { findCanary, lockEvidence, processesOf, replayAll, sessionEvidence, workspaceFiles } from "./collect.ts";
import { type ChaosConnection, connect } from "./connection.ts";
import { Driver } from "./driver.ts";
import type { Evidence } from "./evidence.ts";
import { schedule } from "./faults/schedule.ts";
import { Follower } from "./followers.ts";
import { Keeper } from "./keeper.ts";
import { ModelServer } from "./model/server.ts";
import type { Options } from "./options.ts";
import { placeFaults } from "./place-faults.ts";
import { Pool } from "./pool.ts";
import { Random } from "./random.ts";
import { outsideFile, ownFile, type SessionPlan, scriptOf, sessionPlan, sharedFile } from "./script.ts";
import { settle } from "./settle.ts";
import { underWay } from "./under-way.ts";
import { WholeReader } from "./whole-reader.ts";
import { World } from "./world.ts";

const mostReplays = 60;

/** One run from the first process to the last; everything it started is gone when this resolves. */
export async function runChaos(options: Options, say: (text: string) => void): Promise<Evidence> {
  const world = new World(options.broken);
  const breakDown = (): void => world.endAtOnce();
  process.once("exit", breakDown);
  const plans = Array.from({ length: options.sessions }, (_, index) => sessionPlan(index));
  const outsideLines: Evidence["outsideLines"] = [];
  const model = new ModelServer({
    key: world.canary,
    stepOf: ({ session, prompt, step }) =>
      scriptOf(options.seed, plans[session]!, prompt, world.places)[step] ?? { text: "Done.", calls: [] },
    changeOutside: (file) => {
      const line = `outside ${outsideLines.length + 1}`;
      appendFileSync(join(world.places.workspace, file), `${line}\n`);
      outsideLines.push({ file, line });
    },
  });
  try {
    world.prepare(plans, await model.listen());
    say(`home ${world.home.root}`);
    await world.up();
    const run = new Run(options, world, plans, model, await connect(world), outsideLines, say);
    return await run.evidence();
  } finally {
    model.close();
    await world.down().catch((error: Error) => say(`tempi down: ${error.message}`));
    process.off("exit", breakDown);
    if (!options.keep) world.remove();
  }
}

class Run {
  readonly #options: Options;
  readonly #world: World;
  readonly #plans: readonly SessionPlan[];
  readonly #model: ModelServer;
  readonly #connection: ChaosConnection;
  readonly #outsideLines: Evidence["outsideLines"];
  readonly #say: (text: string) => void;
  readonly #drivers: Driver[];

  constructor(
    options: Options,
    world: World,
    plans: readonly SessionPlan[],
    model: ModelServer,
    connection: ChaosConnection,
    outsideLines: Evidence["outsideLines"],
    say: (text: string) => void,
  ) {
    this.#options = options;
    this.#world = world;
    this.#plans = plans;
    this.#model = model;
    this.#connection = connection;
    this.#outsideLines = outsideLines;
    this.#say = say;
    const random = new Random(options.seed, "ids");
    const id = () => Array.from({ length: 6 }, () => random.pick([...sessionIdAlphabet])).join("");
    this.#drivers = plans.map((plan) => new Driver(plan, id(), world, connection));
  }

  async evidence(): Promise<Evidence> {
    const { seed, broken } = this.#options;
    const world = this.#world;
    const drivers = this.#drivers;
    const forbiddenBefore = world.forbiddenHash();
    const approver = new Approver(seed, world, this.#connection);
    for (const driver of drivers) driver.onState = (state) => approver.look(driver.plan.index, state);
    const followers = broken ? [] : [new Follower(world), new Follower(world)];
    const keeper = new Keeper(world);
    const pool = new Pool(drivers, new Random(seed, "pool"));
    const reader = new WholeReader(world, this.#plans);
    const idOf = (session: number) => drivers[session]!.id;
    const working = () => underWay(world, this.#model, idOf);
    const follow = new Random(seed, "followers");
    const nextFollowed = () => follow.pick(drivers.filter(({ begun, id }) => begun && working().has(id)))?.id;
    const background = [keeper.run(), pool.run(), reader.run(), ...followers.map((one) => one.run(nextFollowed))];
    const victims = { world, model: this.#model, drivers, followers, approver, keeper, underWay: working, idOf };
    const faults = await placeFaults(seed, schedule(this.#options), victims, this.#say);
    pool.stop();
    await background[1];
    this.#say("all faults placed; each session gets a last prompt");
    const stuck = await settle(drivers, this.#connection);
    for (const one of [reader, ...followers]) one.stop();
    this.#say(`${drivers.length - stuck.size} of ${drivers.length} sessions at rest; reading them anew`);
    const sessions = await Promise.all(
      drivers.map((driver) => sessionEvidence(driver, this.#connection, stuck.get(driver))),
    );
    const locks = await lockEvidence(this.#connection);
    const replays = await replayAll(
      world,
      this.#connection,
      drivers.map(({ id }) => id),
      mostReplays,
    );
    for (const driver of drivers) driver.close();
    keeper.stop();
    await Promise.all(background);
    await this.#connection.close();
    this.#say(`given up and started again by hand: ${keeper.restarts}; stopping`);
    const before = processesOf(world).seen;
    await world.down();
    const { found } = processesOf(world);
    const files = workspaceFiles(world);
    const { places, forbidden } = world;
    const model = this.#model;
    return {
      seed,
      sessions,
      faults,
      decisions: approver.given,
      followed: followers.flatMap(({ lives }) => lives),
      effects: readFileSync(places.effects, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
      files,
      strayFiles: [...files.keys()].filter((path) => !this.#known().has(path)),
      outsideLines: [...this.#outsideLines, ...approver.changed],
      tornReads: reader.torn,
      wholeReads: reader.whole,
      model: {
        pairingChecks: model.pairingChecks,
        pairingFaults: model.pairingFaults,
        repeated: model.repeated,
        differing: model.differing,
        requests: model.requests,
        wrongKeys: model.wrongKeys,
      },
      locks,
      orphans: found,
      processesSeen: before,
      ...findCanary(world),
      forbidden: { before: forbiddenBefore, after: world.forbiddenHash(), entries: readdirSync(forbidden) },
      replays,
    };
  }

  #known(): Set<string> {
    return new Set(this.#plans.flatMap(({ group, index }) => [sharedFile(group), ownFile(index), outsideFile(index)]));
  }
}
