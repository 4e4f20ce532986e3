import { type CallRow, type Row, signOfCall } from "./rows.ts";
import type { SignState } from "./signs.ts";
import type { Transcript } from "./transcript.ts";

/** `model`: it answers. `queued`: waits for its turn or a file. `asks`: waits for a person. Times in milliseconds since 1970. */
export interface Phase {
  kind: "model" | "queued" | "asks" | "run";
  from: number;
  to: number;
}

export interface TimelineBar {
  key: string;
  name: string;
  summary: string;
  sign: SignState;
  phases: Phase[];
}

export interface TimelineTurn {
  turn: number;
  from: number;
  to: number;
  bars: TimelineBar[];
}

/** Bars of each turn, newest last. What is not over yet reaches to `now`. `runningSince` = starts of calls that run. */
export function timelineOf(
  transcript: Transcript,
  now: number,
  runningSince: ReadonlyMap<string, number> = new Map(),
): TimelineTurn[] {
  const calls = callsByTurn(transcript.rows);
  const runStart = (row: CallRow): number | undefined => {
    const since = runningSince.get(row.toolCallId);
    if (since === undefined || row.held) return undefined;
    // The state tells when a call was announced; it began after the last decision about its answer.
    return Math.max(since, ...calls.get(row.turn)!.map(({ resolution }) => resolution?.at ?? 0));
  };
  return [...transcript.turns.values()].map(({ turn, startedAt, answeredAt, endedAt }) => {
    const model: Phase = { kind: "model", from: startedAt, to: answeredAt ?? endedAt ?? now };
    const bars: TimelineBar[] = [
      {
        key: `model:${turn}`,
        name: "model",
        summary: "answers",
        sign: answeredAt === undefined && endedAt === undefined ? "running" : "done",
        phases: [model],
      },
      ...(calls.get(turn) ?? []).map((row) => ({
        key: row.key,
        name: row.toolName,
        summary: row.summary,
        sign: signOfCall(row),
        phases: phasesOf(row, now, runStart(row)),
      })),
    ];
    const ends = bars.flatMap(({ phases }) => phases.map(({ to }) => to));
    return { turn, from: startedAt, to: Math.max(startedAt + 1, ...ends), bars };
  });
}

function callsByTurn(rows: readonly Row[]): Map<number, CallRow[]> {
  const calls = new Map<number, CallRow[]>();
  for (const row of rows) {
    if (row.kind !== "call") continue;
    const list = calls.get(row.turn);
    if (list) list.push(row);
    else calls.set(row.turn, [row]);
  }
  return calls;
}

/** The duration told at the end leaves out all waiting: the run is that long before the end. */
function phasesOf(row: CallRow, now: number, runningSince?: number): Phase[] {
  const { startedAt, approval, resolution, ended } = row;
  const end = ended?.at ?? now;
  const phases: Phase[] = [];
  let at = startedAt;
  const until = (kind: Phase["kind"], to: number): void => {
    const bounded = Math.min(Math.max(to, at), end);
    if (bounded > at) phases.push({ kind, from: at, to: bounded });
    at = bounded;
  };
  if (approval !== undefined) {
    until("queued", approval.requestedAt);
    until("asks", resolution?.at ?? end);
  }
  const runs = ended ? end - ended.durationMs : runningSince;
  if (runs !== undefined) {
    until("queued", runs);
    until("run", end);
  } else until("queued", end);
  return phases;
}

/** Milliseconds of each kind in a bar. */
export function phaseTotals(bar: TimelineBar): Record<Phase["kind"], number> {
  const totals = { model: 0, queued: 0, asks: 0, run: 0 };
  for (const { kind, from, to } of bar.phases) totals[kind] += to - from;
  return totals;
}
