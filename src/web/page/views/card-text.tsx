import type { Approval } from "../../../agent/approval.ts";
import type { Display } from "../../../agent/tool.ts";
import { diffCounts, diffRows } from "../model/diff-rows.ts";
import { partsOf, readableText } from "../model/parts.ts";
import { DiffRowView } from "./diff.tsx";

const rowsOfPart = 16;

/** Everything that would run, never cut. Each part ends with a mark that tells whether it was on screen. */
export const CardText = ({ approval }: { approval: Approval }) => {
  const displays: Display[] =
    approval.display.length > 0 ? approval.display : [{ kind: "text", text: approval.summary }];
  return (
    <div class="card-text">
      {displays.map((display, at) => (
        <OneDisplay key={at} display={display} cwd={approval.cwd} />
      ))}
    </div>
  );
};

const PartEnd = () => <span class="part-end" data-part aria-hidden="true" />;

const PlainParts = ({ text, className }: { text: string; className: string }) => (
  <pre class={className}>
    {partsOf(readableText(text)).map((part, at) => (
      <span key={at}>
        {part}
        <PartEnd />
      </span>
    ))}
  </pre>
);

function OneDisplay({ display, cwd }: { display: Display; cwd: string }) {
  switch (display.kind) {
    case "command":
      return (
        <>
          <PlainParts text={display.command} className="command" />
          {display.cwd !== cwd && <p class="facts">in {readableText(display.cwd)}</p>}
        </>
      );
    case "diff":
      return <WholeDiff path={display.path} patch={display.patch} />;
    case "text":
      return <PlainParts text={display.text} className="plain" />;
  }
}

function WholeDiff({ path, patch }: { path: string; patch: string }) {
  const rows = diffRows(patch);
  const { added, removed } = diffCounts(rows);
  const shown = readableText(path);
  return (
    <div class="diff">
      <p class="diff-path">
        <code>{shown}</code> <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
        <PartEnd />
      </p>
      <table aria-label={`Changes of ${shown}`}>
        <tbody>
          {rows.map((row, at) => (
            <DiffRowView key={at} row={row}>
              {partsOf(row.text).map((part, index, parts) => (
                <span key={index}>
                  {part}
                  {index < parts.length - 1 && <PartEnd />}
                </span>
              ))}
              {endsPart(at, rows.length) && <PartEnd />}
            </DiffRowView>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const endsPart = (at: number, length: number): boolean => at % rowsOfPart === rowsOfPart - 1 || at === length - 1;
