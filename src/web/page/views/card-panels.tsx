import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Approval } from "../../../agent/approval.ts";
import type { DecideRequest } from "../../api.ts";
import { editedArguments, editedText } from "../model/edited-arguments.ts";
import { readableText } from "../model/parts.ts";
import { failureText } from "../state/api.ts";
import { argumentsOf } from "../state/arguments.ts";
import { forgetRefusal } from "../state/decisions.ts";
import { Problem } from "./small.tsx";

interface PanelProps {
  ready: boolean;
  /** The whole text was on screen: nothing is allowed before. */
  read: boolean;
  onAnswer: (answer: Omit<DecideRequest, "approvalId">) => void;
  onClose: () => void;
}

/** Opened by a button of the card; Escape closes it. The focus goes to the panel, never to what decides. */
function Panel({ label, onClose, children }: { label: string; onClose: () => void; children: ComponentChildren }) {
  const panel = useRef<HTMLFieldSetElement>(null);
  // Before anything is drawn: what is typed next belongs to the field.
  useLayoutEffect(() => {
    const field = panel.current?.querySelector("textarea");
    (field ?? panel.current)?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <fieldset
      ref={panel}
      class="panel"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      {children}
    </fieldset>
  );
}

const Unread = ({ read }: { read: boolean }) =>
  read ? null : <p class="facts">Read the text above to its end first.</p>;

/** The rule's words stand on the button that makes it. */
export function RulePanel({ approval, ready, read, onAnswer, onClose }: PanelProps & { approval: Approval }) {
  const { rememberText, projectRule } = approval;
  return (
    <Panel label="Allow and remember" onClose={onClose}>
      <p>Allows this call, and from then on does not ask for:</p>
      <Unread read={read} />
      {rememberText !== undefined && (
        <div class="rule">
          <code class="rule-words">{readableText(rememberText)}</code>
          <button
            type="button"
            aria-disabled={!ready || !read}
            aria-label={`Allow in this session: ${readableText(rememberText)}`}
            onClick={() => onAnswer({ decision: "allow", remember: "session" })}
          >
            Allow in this session
          </button>
        </div>
      )}
      {projectRule !== undefined && (
        <div class="rule">
          <code class="rule-words">{readableText(projectRule.text)}</code>
          <button
            type="button"
            aria-disabled={!ready || !read}
            aria-label={`Allow in this repository: ${readableText(projectRule.text)}`}
            onClick={() => onAnswer({ decision: "allow", remember: "project" })}
          >
            Allow in this repository
          </button>
          <p class="facts">
            written to your configuration, for every session in {readableText(projectRule.rule.repository)}
          </p>
        </div>
      )}
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </Panel>
  );
}

export function DenyPanel({ ready, onAnswer, onClose }: Omit<PanelProps, "read">) {
  const [reason, setReason] = useState("");
  return (
    <Panel label="Deny with a reason" onClose={onClose}>
      <label>
        The reason, as the model reads it
        <textarea rows={3} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <button
        type="button"
        class="deny"
        aria-disabled={!ready || reason.trim() === ""}
        onClick={() => reason.trim() !== "" && onAnswer({ decision: "deny", reason: reason.trim() })}
      >
        Deny with this reason
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </Panel>
  );
}

/** The command of bash, or the arguments of other tools as JSON; what comes back is checked again before it runs. */
export function EditPanel({
  sessionId,
  approval,
  ready,
  read,
  onAnswer,
  onClose,
}: PanelProps & { sessionId: string; approval: Approval }) {
  const [given, setGiven] = useState<Record<string, unknown>>();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    argumentsOf(sessionId, approval).then(
      (found) => {
        setGiven(found);
        setText(found === undefined ? "" : editedText(approval.toolName, found));
        if (found === undefined) setProblem("The arguments of this call are not known here.");
      },
      (error) => setProblem(failureText(error)),
    );
  }, [sessionId, approval.id]);
  const send = () => {
    if (given === undefined) return;
    const edited = editedArguments(approval.toolName, given, text);
    setProblem("problem" in edited ? edited.problem : undefined);
    if ("args" in edited) onAnswer({ decision: "allow", args: edited.args });
  };
  return (
    <Panel label="Edit and allow" onClose={onClose}>
      <label>
        {approval.toolName === "bash" ? "The command" : "The arguments, as JSON"}
        <textarea
          class="code"
          rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
            forgetRefusal(approval.id);
          }}
        />
      </label>
      <Problem text={problem} />
      <Unread read={read} />
      <button type="button" class="primary" aria-disabled={!ready || !read || given === undefined} onClick={send}>
        Allow edited
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </Panel>
  );
}
