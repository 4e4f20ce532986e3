import type { Guard, Options } from "../options.ts";
import { Random } from "../random.ts";
import type { Fault } from "./fault.ts";
import { changeOutside, cutArguments, cutText, rateLimit, serverError } from "./model.ts";
import { cancel, doubleDecision, doublePrompt, killFollower, promptAndKill } from "./people.ts";
import {
  killAll,
  killCommand,
  killServer,
  killSupervisor,
  killWorker,
  pauseWorker,
  terminateWorker,
} from "./processes.ts";

/** All faults by name. A new victim (the web server) is a fault here and a weight below. */
export const faults = {
  killWorker,
  killServer,
  killCommand,
  killAll,
  pauseWorker,
  terminateWorker,
  killSupervisor,
  changeOutside,
  cutText,
  cutArguments,
  rateLimit,
  serverError,
  doubleDecision,
  doublePrompt,
  cancel,
  promptAndKill,
  killFollower,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

const weights: Record<FaultName, number> = {
  killWorker: 6,
  killServer: 4,
  killCommand: 4,
  killAll: 2,
  pauseWorker: 2,
  terminateWorker: 2,
  killSupervisor: 1,
  changeOutside: 1,
  cutText: 2,
  cutArguments: 2,
  rateLimit: 1,
  serverError: 1,
  doubleDecision: 1,
  doublePrompt: 1,
  cancel: 3,
  promptAndKill: 2,
  killFollower: 2,
};

/** Without a guard: the faults against which it stands, and few others, so that little is needed to see it missing. */
const weightsWithout: Record<Guard, Partial<Record<FaultName, number>>> = {
  journal: { killWorker: 1 },
  mutex: { cutText: 1, cancel: 1 },
  digest: { cutText: 1, changeOutside: 1 },
};

/** The faults of a run in their order: the same for the same seed. */
export function schedule({
  seed,
  kills,
  broken,
  only,
}: Pick<Options, "seed" | "kills" | "broken" | "only">): FaultName[] {
  const random = new Random(seed, "schedule");
  const none = Object.fromEntries(faultNames.map((name) => [name, 0]));
  const chosen = only ? { ...none, [only]: 1 } : broken ? { ...none, ...weightsWithout[broken] } : weights;
  return Array.from({ length: kills }, () => random.weighted(chosen as Record<FaultName, number>));
}
