import { useLayoutEffect, useRef } from "preact/hooks";
import { type Approval, approvalReasonText } from "../../../agent/approval.ts";
import { clock, duration } from "../../../agent/format.ts";
import { readableText } from "../model/parts.ts";
import { pathOfSession } from "../model/route.ts";
import { now } from "../state/clock.ts";
import { decisions } from "../state/decisions.ts";
import { CardActions } from "./card-actions.tsx";
import { CardText } from "./card-text.tsx";
import { Age, Line, Sign } from "./small.tsx";
import { useKeptHeight } from "./use-kept-height.ts";
import { useReadThrough } from "./use-read-through.ts";
import { useSteady } from "./use-steady.ts";

export interface CardProps {
  sessionId: string;
  approval: Approval;
  /** Title of the session, where the card stands outside of it. */
  title?: string;
  repository?: string;
  /** False once somebody decided. */
  waits: boolean;
  /** Who decided, as an event tells it. */
  outcome?: string;
}

/** An approval: the whole question, and what a person may answer. */
export function Card({ sessionId, approval, title, repository, waits, outcome }: CardProps) {
  const root = useRef<HTMLElement>(null);
  const { read, goOn } = useReadThrough(root, approval.id);
  const { steady, isSteadyNow } = useSteady(root);
  const decision = decisions.value.get(approval.id);
  const over = !waits || decision?.kind === "taken";
  const height = useKeptHeight(root, over);
  // A refusal says who was first.
  const words = outcome ?? (decision?.kind === "sending" ? undefined : decision?.words);
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone: a keyboard goes on from here.
    if (over && decision !== undefined && document.activeElement === document.body) {
      line.current?.focus({ preventScroll: true });
    }
  }, [over]);
  const headingId = `card-${approval.id}`;
  return (
    <article
      ref={root}
      class={`card ${over ? "over" : ""}`}
      aria-labelledby={headingId}
      data-approval={approval.id}
      style={over && height !== undefined ? { minHeight: `${height}px` } : undefined}
    >
      <header>
        <h2 id={headingId}>
          <Sign state={over ? "none" : "asks"} {...(over ? { words: "decided" } : {})} />
          <b>{readableText(approval.toolName)}</b>
          {title === undefined ? (
            <span> {over ? "was decided" : "waits for you"}</span>
          ) : (
            <>
              {" · "}
              <a href={pathOfSession(sessionId)}>
                <Line text={title} />
              </a>
            </>
          )}
        </h2>
        <p class="facts">
          {title !== undefined && (
            <>
              <span class="id">{sessionId}</span> · {repository && <Line text={repository} />} ·{" "}
            </>
          )}
          {over ? (
            `asked ${clock(approval.requestedAt)}`
          ) : (
            <>
              waits <Age since={approval.requestedAt} />
            </>
          )}
          {approval.expiresAt !== undefined && !over && <Deadline at={approval.expiresAt} />}
        </p>
      </header>
      <CardText approval={approval} />
      <p class="facts why">
        in <code>{readableText(approval.cwd)}</code>
        <br />
        why it asks: <Line text={approvalReasonText(approval.reason, approval.reasonDetail)} />
      </p>
      {over ? (
        <p class="decided" ref={line} tabIndex={-1}>
          <Sign state={words?.startsWith("allowed") ? "done" : "none"} words="" />
          <Line text={words ?? "decided elsewhere, or no longer asked"} />
        </p>
      ) : (
        <CardActions
          sessionId={sessionId}
          approval={approval}
          read={read}
          readOn={goOn}
          steady={steady}
          isSteadyNow={isSteadyNow}
          {...(decision === undefined ? {} : { decision })}
        />
      )}
    </article>
  );
}

const Deadline = ({ at }: { at: number }) => (
  <span class="deadline">
    {" · "}
    denied by itself at {clock(at)} (in {duration(Math.max(0, at - now.value))})
  </span>
);
