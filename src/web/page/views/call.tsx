import { useRef } from "preact/hooks";
import { duration } from "../../../agent/format.ts";
import { patchOf } from "../model/diff-rows.ts";
import { readableText } from "../model/parts.ts";
import { asks, type CallRow, exitWords, notRunWords, resolutionWords, signOfCall } from "../model/rows.ts";
import { Output } from "./call-output.tsx";
import { Card } from "./card.tsx";
import { Diff } from "./diff.tsx";
import { Pictures } from "./rows.tsx";
import { Line, Sign } from "./small.tsx";
import { Markdown } from "./tree.tsx";

const mostArgumentLines = 3;

/** A call: one line, then what there is to read of it. */
export function Call({ row, sessionId }: { row: CallRow; sessionId: string }) {
  const { approval, resolution, result } = row;
  const waits = asks(row);
  // A card that was on show stays: what follows it must not come under the finger.
  const hadCard = useRef(waits);
  if (waits) hadCard.current = true;
  const sign = signOfCall(row);
  return (
    <article class={`row call call-${sign}`} aria-label={`Call: ${row.toolName}`}>
      <p class="call-line">
        <Sign state={sign} />
        <b>{readableText(row.toolName)}</b>{" "}
        <code class="call-summary">
          <Line text={row.summary} />
        </code>
        <span class="facts call-facts">{factsOf(row)}</span>
      </p>
      {approval !== undefined && hadCard.current && (
        <Card
          sessionId={sessionId}
          approval={approval}
          waits={waits}
          {...(resolution === undefined ? {} : { outcome: resolutionWords(resolution) })}
        />
      )}
      {resolution !== undefined && !hadCard.current && (
        <p class="decision facts">
          <Line text={resolutionWords(resolution)} />
          {resolution.reason !== undefined && resolution.decision === "deny" && (
            <>
              : <q>{readableText(resolution.reason)}</q>
            </>
          )}
        </p>
      )}
      {!hadCard.current && <Arguments row={row} />}
      {(row.output !== undefined || result !== undefined) && !waits && <ResultView row={row} />}
    </article>
  );
}

function factsOf(row: CallRow): string {
  const notRun = notRunWords(row);
  if (signOfCall(row) === "held") return "begins when the others are decided";
  const parts = [notRun, notRun === undefined ? exitWords(row.result) : undefined];
  if (row.ended && notRun === undefined) parts.push(duration(row.ended.durationMs));
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** What the line does not say: the whole of a long command, other arguments folded. */
function Arguments({ row: { call, summary, result, resolution } }: { row: CallRow }) {
  if (call === undefined) return null;
  if (call.argumentsError) return <pre class="plain">{readableText(call.argumentsError.raw)}</pre>;
  if (resolution?.edited !== undefined) {
    return (
      <details class="arguments">
        <summary>what the model asked for, before a person changed it</summary>
        <pre class="plain">
          {readableText(
            typeof call.arguments.command === "string"
              ? call.arguments.command
              : JSON.stringify(call.arguments, undefined, 2),
          )}
        </pre>
      </details>
    );
  }
  if (patchOf(result?.details) !== undefined) return null;
  const { command, ...others } = call.arguments;
  const rest = Object.entries(others).filter(([, value]) => value !== summary);
  const whole = typeof command === "string" && readableText(command) !== summary ? command : undefined;
  if (whole === undefined && rest.length === 0) return null;
  const json = rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest), undefined, 2);
  const text = readableText([whole, json].filter(Boolean).join("\n"));
  const lines = text.split("\n").length;
  return whole !== undefined && lines <= mostArgumentLines ? (
    <pre class="plain">{text}</pre>
  ) : (
    <details class="arguments">
      <summary>arguments</summary>
      <pre class="plain">{text}</pre>
    </details>
  );
}

function ResultView({ row }: { row: CallRow }) {
  const { result, output } = row;
  const patch = result?.isError ? undefined : patchOf(result?.details);
  if (result?.rendered && !result.isError) return <Markdown text={result.rendered} />;
  if (patch !== undefined) return <Diff patch={patch} label={`Changes by ${row.toolName}`} most={60} />;
  return (
    <>
      <Output {...(result === undefined ? {} : { result })} {...(output === undefined ? {} : { live: output })} />
      {result && <Pictures content={result.content} />}
    </>
  );
}
