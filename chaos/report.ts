import type { Evidence } from "./evidence.ts";
import { invariants } from "./invariants/all.ts";
import type { Harm } from "./invariants/invariant.ts";

export interface Report {
  seed: number;
  sessions: number;
  faultsPlaced: number;
  faultsThatHit: number;
  lost: number;
  doubled: number;
  stuck: number;
  halfWritten: number;
  /** Calls whose outcome the model was told as not known. */
  unknown: number;
  /** Milliseconds from a fault that hit a session to that session's next durable event; null when none hit. */
  recoveryP50Ms: number | null;
  recoveryP95Ms: number | null;
  invariants: Record<string, { checks: number; broken: number; evidence?: string[] }>;
}

const evidenceShown = 5;
const evidenceCharacters = 400;

/** Checks everything. The report holds under every name how much was looked at, and the first findings. */
export function reportOf(evidence: Evidence): Report {
  const harms: Record<Harm, number> = { lost: 0, doubled: 0, stuck: 0, halfWritten: 0 };
  const checked: Report["invariants"] = {};
  for (const { name, check } of invariants) {
    const { checks, findings } = check(evidence);
    for (const { harm } of findings) if (harm) harms[harm] += 1;
    const shown = findings.slice(0, evidenceShown).map(({ text }) => text.slice(0, evidenceCharacters));
    checked[name] = { checks, broken: findings.length, ...(shown.length > 0 ? { evidence: shown } : {}) };
  }
  const recoveries = recoveryTimes(evidence);
  return {
    seed: evidence.seed,
    sessions: evidence.sessions.length,
    faultsPlaced: evidence.faults.length,
    faultsThatHit: evidence.faults.filter(({ hit }) => hit.length > 0).length,
    ...harms,
    unknown: evidence.sessions.flatMap(({ calls }) => calls).filter(({ outcome }) => outcome === "unknown").length,
    recoveryP50Ms: quantile(recoveries, 0.5),
    recoveryP95Ms: quantile(recoveries, 0.95),
    invariants: checked,
  };
}

/** Valid (something hit) and nothing broken. */
export const isGood = (report: Report): boolean =>
  report.faultsThatHit > 0 && Object.values(report.invariants).every(({ broken }) => broken === 0);

/**
 * Milliseconds from each fault, or from its end where it lasts, to the next event of each session that it hit. Where another
 * fault struck the session before it had gone on, the time counts from that one.
 */
function recoveryTimes({ faults, sessions }: Pick<Evidence, "faults" | "sessions">): number[] {
  return faults.flatMap(({ hit, liftedAt }, index) =>
    hit.flatMap((id) => {
      const next = sessions.find((session) => session.id === id)?.events.find(({ event }) => event.at >= liftedAt)
        ?.event.at;
      if (next === undefined) return [];
      const struckAgain = faults.slice(index + 1).some((later) => later.hit.includes(id) && later.at < next);
      return struckAgain ? [] : [next - liftedAt];
    }),
  );
}

function quantile(values: readonly number[], part: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
