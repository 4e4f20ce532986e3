import { useState } from "preact/hooks";
import type { Approval } from "../../../agent/approval.ts";
import type { DecideRequest } from "../../api.ts";
import { readableText } from "../model/parts.ts";
import { decide, type SentDecision } from "../state/decisions.ts";
import { DenyPanel, EditPanel, RulePanel } from "./card-panels.tsx";
import { Problem } from "./small.tsx";

interface Props {
  sessionId: string;
  approval: Approval;
  /** The whole text was on screen. */
  read: boolean;
  /** Brings the first part that was not into view. */
  readOn: () => void;
  steady: boolean;
  isSteadyNow: () => boolean;
  decision?: SentDecision;
}

type Panel = "rule" | "deny" | "edit";
type Answer = Omit<DecideRequest, "approvalId">;

const shortName = (summary: string): string => {
  const text = readableText(summary).replaceAll("\n", " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

/** Buttons of a card. They are never `disabled`, which would lose the focus: what they may not do yet they say. */
export function CardActions({ sessionId, approval, read, readOn, steady, isSteadyNow, decision }: Props) {
  const [panel, setPanel] = useState<Panel>();
  const name = shortName(approval.summary || approval.toolName);
  const busy = decision?.kind === "sending";
  const ready = steady && !busy;
  const toggle = (which: Panel) => () => setPanel(panel === which ? undefined : which);
  const send = (answer: Answer): void => {
    if (busy || !isSteadyNow()) return;
    if (answer.decision === "allow" && !read) readOn();
    else void decide(sessionId, { approvalId: approval.id, ...answer });
  };
  const remembers = approval.rememberText !== undefined || approval.projectRule !== undefined;
  const unread = read ? "" : ". Read to the end first";
  return (
    <div class="card-actions">
      <div class="buttons">
        <button
          type="button"
          class="primary"
          aria-disabled={!ready || !read}
          aria-label={`Allow once: ${name}${unread}`}
          onClick={() => send({ decision: "allow" })}
        >
          {!read ? "Read to the end first" : busy ? "Allow once…" : "Allow once"}
        </button>
        {remembers && (
          <button type="button" aria-expanded={panel === "rule"} onClick={toggle("rule")}>
            Allow for this session…
          </button>
        )}
        <button
          type="button"
          class="deny"
          aria-disabled={!ready}
          aria-label={`Deny: ${name}`}
          onClick={() => send({ decision: "deny" })}
        >
          Deny
        </button>
        <button type="button" aria-expanded={panel === "deny"} onClick={toggle("deny")}>
          Deny with a reason…
        </button>
        {approval.kind === "tool" && (
          <button type="button" aria-expanded={panel === "edit"} onClick={toggle("edit")}>
            Edit…
          </button>
        )}
      </div>
      {panel === "rule" && (
        <RulePanel approval={approval} ready={ready} read={read} onAnswer={send} onClose={() => setPanel(undefined)} />
      )}
      {panel === "deny" && <DenyPanel ready={ready} onAnswer={send} onClose={() => setPanel(undefined)} />}
      {panel === "edit" && (
        <EditPanel
          sessionId={sessionId}
          approval={approval}
          ready={ready}
          read={read}
          onAnswer={send}
          onClose={() => setPanel(undefined)}
        />
      )}
      <Problem text={decision?.kind === "refused" ? decision.words : undefined} />
    </div>
  );
}
