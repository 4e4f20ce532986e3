import type { SessionCall } from "../session-calls.ts";
import type { Finding, Invariant } from "./invariant.ts";

/** How often an effect may have happened, by what the model was told. */
const allowed: Record<SessionCall["outcome"], [least: number, most: number]> = {
  done: [1, 1],
  failed: [1, 1],
  unknown: [0, 1],
  stopped: [0, 1],
  notRun: [0, 0],
};

/** I2 and the first half of I3: the effect of a command happened as often as its result says, and never twice. */
export const effectsOnce: Invariant = {
  name: "I2 effects",
  check: ({ sessions, effects }) => {
    const counts = new Map<string, number>();
    for (const token of effects) counts.set(token, (counts.get(token) ?? 0) + 1);
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, calls } of sessions) {
      for (const { token, tool, outcome, results } of calls) {
        if (tool !== "bash") continue;
        checks += 1;
        const count = counts.get(token) ?? 0;
        counts.delete(token);
        const [least, most] = allowed[outcome];
        if (count >= least && count <= most) continue;
        findings.push({
          ...(count > 1 ? { harm: "doubled" } : count < least ? { harm: "lost" } : {}),
          text: `${id} ${token}: ${count} times, told as ${outcome}: ${results.at(-1)?.slice(-160)}`,
        });
      }
    }
    // What no transcript knows must not have run at all.
    for (const [token, count] of counts)
      findings.push({ text: `${token} ran ${count} times and no transcript has the call` });
    return { checks, findings };
  },
};

/** I3: "may have run" is only said of calls during which something struck. */
export const unknownOnlyByFaults: Invariant = {
  name: "I3 unknown",
  check: ({ sessions, faults }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, calls } of sessions) {
      for (const { token, outcome, startedAt = 0, endedAt = Number.POSITIVE_INFINITY, results } of calls) {
        if (outcome !== "unknown") continue;
        checks += 1;
        if (faults.some((fault) => fault.hit.length > 0 && fault.liftedAt >= startedAt - 1_000 && fault.at <= endedAt))
          continue;
        findings.push({ text: `${id} ${token} without a fault: ${results.at(-1)?.slice(0, 160)}` });
      }
    }
    return { checks, findings };
  },
};
