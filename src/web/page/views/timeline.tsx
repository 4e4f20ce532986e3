import { useState } from "preact/hooks";
import { clock, duration } from "../../../agent/format.ts";
import { readableText } from "../model/parts.ts";
import type { SessionModel } from "../model/session-model.ts";
import { signWords } from "../model/signs.ts";
import { type Phase, phaseTotals, type TimelineBar, type TimelineTurn, timelineOf } from "../model/timeline.ts";
import { now } from "../state/clock.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Sign } from "./small.tsx";

const turnsAtOnce = 40;

const phaseWords: Record<Phase["kind"], string> = {
  model: "model answers",
  queued: "waits for its turn or a file",
  asks: "waits for a person",
  run: "runs",
};

/** Each turn's calls as bars side by side over its time. The same figures stand in tables for whoever does not see bars. */
export function Timeline({ store }: { store: SessionStore }) {
  const model = store.watched;
  const [most, setMost] = useState(turnsAtOnce);
  const running = new Map((model.state?.running ?? []).map((call) => [call.toolCallId, call.startedAt]));
  const works = model.current === "running" || model.current === "waiting";
  const turns = timelineOf(model.transcript, works ? now.value : lastTime(model), running);
  if (turns.length === 0) return <p class="facts">No turn is known: events tell the times, and none came.</p>;
  const shown = turns.slice(-most);
  return (
    <div class="timeline">
      <p class="legend facts" aria-hidden="true">
        {Object.entries(phaseWords).map(([kind, words]) => (
          <span key={kind}>
            <span class={`swatch phase-${kind}`} /> {words}
          </span>
        ))}
      </p>
      {shown.length < turns.length && (
        <button type="button" class="quiet" onClick={() => setMost(most + turnsAtOnce)}>
          Show earlier ({turns.length - shown.length} turns)
        </button>
      )}
      {shown.map((turn) => (
        <TurnView key={turn.turn} turn={turn} />
      ))}
    </div>
  );
}

/** A session at rest does not get longer by being looked at. */
function lastTime({ transcript }: SessionModel): number {
  const turn = [...transcript.turns.values()].at(-1);
  return turn?.endedAt ?? turn?.answeredAt ?? Date.now();
}

const TurnView = ({ turn }: { turn: TimelineTurn }) => (
  <section class="turn" aria-label={`Turn ${turn.turn}`}>
    <h2>
      turn {turn.turn}{" "}
      <span class="facts">
        {clock(turn.from)} · {duration(turn.to - turn.from)}
      </span>
    </h2>
    <div aria-hidden="true">
      {turn.bars.map((bar) => (
        <Bar key={bar.key} bar={bar} turn={turn} />
      ))}
    </div>
    <table class="only-read">
      <caption>Calls of turn {turn.turn}</caption>
      <thead>
        <tr>
          <th>call</th>
          <th>state</th>
          <th>begins after</th>
          <th>phases</th>
        </tr>
      </thead>
      <tbody>
        {turn.bars.map((bar) => (
          <tr key={bar.key}>
            <td>
              {bar.name} {readableText(bar.summary)}
            </td>
            <td>{signWords[bar.sign]}</td>
            <td>{duration((bar.phases[0]?.from ?? turn.from) - turn.from)}</td>
            <td>{phasesText(bar)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

function Bar({ bar, turn }: { bar: TimelineBar; turn: TimelineTurn }) {
  const share = (time: number): string => `${((time / (turn.to - turn.from)) * 100).toFixed(3)}%`;
  const ran = bar.phases.filter(({ kind }) => kind === "run" || kind === "model");
  return (
    <div class="bar" title={phasesText(bar)}>
      <span class="bar-name">
        <Sign state={bar.sign} words="" />
        <b>{bar.name}</b> {readableText(bar.summary)}
      </span>
      <span class="bar-track">
        {bar.phases.map(({ kind, from, to }) => (
          <span
            key={kind + from}
            class={`phase phase-${kind}`}
            style={{ left: share(from - turn.from), width: share(to - from) }}
          />
        ))}
      </span>
      <span class="bar-time facts">{duration(ran.reduce((sum, { from, to }) => sum + to - from, 0))}</span>
    </div>
  );
}

function phasesText(bar: TimelineBar): string {
  const totals = phaseTotals(bar);
  return (Object.keys(phaseWords) as Phase["kind"][])
    .filter((kind) => totals[kind] > 0)
    .map((kind) => `${phaseWords[kind]} ${duration(totals[kind])}`)
    .join(", ");
}
