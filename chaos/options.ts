import { parseArgs } from "node:util";
import { type FaultName, faultNames } from "./faults/schedule.ts";

export const breakable = ["journal", "mutex", "digest"] as const;
/** A guard of the product that the run's worker does without. */
export type Guard = (typeof breakable)[number];

export interface Options {
  seed: number;
  sessions: number;
  /** Faults to place. */
  kills: number;
  /** Only faults of this name. */
  only?: FaultName;
  broken?: Guard;
  /** Leaves the folder of the run and says where it is. */
  keep: boolean;
}

/** Sessions and faults of the form for CI; at most 4 minutes on 2 cores. */
const quick = { sessions: 20, kills: 25 };

/** Reads the command line. Throws an Error for a person. */
export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      seed: { type: "string", default: "1" },
      sessions: { type: "string", default: String(quick.sessions) },
      kills: { type: "string", default: String(quick.kills) },
      break: { type: "string" },
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const broken = breakable.find((guard) => guard === values.break);
  if (values.break !== undefined && !broken) throw new Error(`--break takes one of ${breakable.join(", ")}`);
  const only = faultNames.find((name) => name === values.only);
  if (values.only !== undefined && !only) throw new Error(`--only takes one of ${faultNames.join(", ")}`);
  return {
    seed: wholeNumber("seed", values.seed),
    sessions: values.quick ? quick.sessions : wholeNumber("sessions", values.sessions),
    kills: values.quick ? quick.kills : wholeNumber("kills", values.kills),
    ...(only ? { only } : {}),
    ...(broken ? { broken } : {}),
    keep: values.keep,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} takes a whole number above 0, not "${text}"`);
  return Number(text);
}
