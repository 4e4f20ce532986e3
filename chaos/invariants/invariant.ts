import type { Evidence } from "../evidence.ts";

/** What a finding counts as in the run's figures; absent: only as broken. */
export type Harm = "lost" | "doubled" | "halfWritten" | "stuck";

export interface Finding {
  harm?: Harm;
  /** Who, where and what, short. */
  text: string;
}

/** Something that must hold after every run, whatever was killed. `checks` counts what was looked at; 0 says that nothing was. */
export interface Invariant {
  name: string;
  check(evidence: Evidence): { checks: number; findings: Finding[] };
}
