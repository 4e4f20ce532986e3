import { useState } from "preact/hooks";
import { groupOf } from "../../../agent/session-groups.ts";
import type { Delivery } from "../../../protocol/session.ts";
import type { SendRequest } from "../../api.ts";
import { failureText, newSignalId, post } from "../state/api.ts";
import { isPhone } from "../state/media.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Problem } from "./small.tsx";

/** Sends a prompt: steering the turn that runs, or queued for after it. Says which before it is sent. */
export function Composer({ store, onSent }: { store: SessionStore; onSent: () => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const state = store.watched.current ?? store.account.value?.summary.state;
  const works = state !== undefined && (groupOf(state) === "Working" || state === "waiting");
  const send = async (delivery: Delivery): Promise<void> => {
    if (text.trim() === "" || busy) return;
    const request = { id: newSignalId(), text, delivery };
    setBusy(true);
    try {
      await post<void, SendRequest>(`/api/sessions/${store.id}/send`, request);
      store.noteSent(request);
      setText("");
      setProblem(undefined);
      store.reconnect();
      onSent();
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    // On a phone Enter makes a line; the button sends.
    if (isPhone.value && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    void send(event.ctrlKey || event.metaKey ? "followUp" : "steer");
  };
  return (
    <form
      class="composer"
      aria-label="Send to the session"
      onSubmit={(event) => {
        event.preventDefault();
        void send("steer");
      }}
    >
      <Problem text={problem} />
      <div class="composer-line">
        <textarea
          rows={Math.min(8, text.split("\n").length)}
          aria-label="Prompt"
          placeholder={works ? "Steer the turn that runs…" : "Go on with…"}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="primary" aria-disabled={busy || text.trim() === ""}>
          {works ? "Steer" : "Send"}
        </button>
        {works && (
          <button type="button" aria-disabled={busy || text.trim() === ""} onClick={() => void send("followUp")}>
            Queue
          </button>
        )}
      </div>
      {works && (
        <p class="facts wide-only">
          Enter steers: read at the next step of this turn · Ctrl-Enter queues: read after it · Shift-Enter a new line
        </p>
      )}
    </form>
  );
}
