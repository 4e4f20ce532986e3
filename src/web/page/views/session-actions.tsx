import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SessionStateName } from "../../../agent/events.ts";
import type { GroupName } from "../../../agent/session-groups.ts";
import type { ThinkingLevel } from "../../../protocol/session.ts";
import type { SettingsRequest } from "../../api.ts";
import { failureText, post } from "../state/api.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Problem } from "./small.tsx";

const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Stop the turn, end the session, go on after a block, and the few settings that can be changed here. */
export function SessionActions({
  store,
  state,
  group,
  children,
}: {
  store: SessionStore;
  state?: SessionStateName;
  group?: GroupName;
  /** Stands before the buttons. */
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState<"end" | "settings">();
  const [problem, setProblem] = useState<string>();
  const act = async (path: string, body: object = {}): Promise<void> => {
    try {
      await post(`/api/sessions/${store.id}/${path}`, body);
      setProblem(undefined);
      setOpen(undefined);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const works = group === "Working" || state === "waiting";
  return (
    <div class="session-actions">
      {children}
      {works && (
        <button type="button" onClick={() => void act("stop")}>
          Stop turn
        </button>
      )}
      {state === "blocked" && (
        <button type="button" class="primary" onClick={() => void act("retry")}>
          Retry
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-expanded={open === "settings"}
        onClick={() => setOpen(open === "settings" ? undefined : "settings")}
      >
        Settings
      </button>
      {state !== "ended" && (
        <button
          type="button"
          class="quiet"
          aria-expanded={open === "end"}
          onClick={() => setOpen(open === "end" ? undefined : "end")}
        >
          End…
        </button>
      )}
      {store.account.value?.temporalUi && (
        <a class="button quiet" href={store.account.value.temporalUi} target="_blank" rel="noopener noreferrer">
          Temporal UI<span class="only-read"> (workflow, opens another page)</span>
        </a>
      )}
      {open === "end" && (
        <fieldset class="panel" aria-label="End the session">
          <p>Ends the session: a running turn is stopped. Sending something later opens it again.</p>
          <button type="button" class="deny" onClick={() => void act("end")}>
            End session
          </button>
          <button type="button" class="quiet" onClick={() => setOpen(undefined)}>
            Cancel
          </button>
        </fieldset>
      )}
      {open === "settings" && <Settings store={store} onSave={(changes) => void act("settings", changes)} />}
      <Problem text={problem} />
    </div>
  );
}

function Settings({ store, onSave }: { store: SessionStore; onSave: (changes: SettingsRequest) => void }) {
  const { state } = store.watched;
  const [title, setTitle] = useState(state?.title ?? store.account.value?.summary.title ?? "");
  return (
    <form
      class="panel settings"
      aria-label="Settings of the session"
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() !== "") onSave({ title: title.trim() });
      }}
    >
      <label>
        Title
        <input type="text" value={title} maxLength={200} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <button type="submit">Save title</button>
      <label>
        Thinking
        <select
          value={state?.settings.thinking ?? "off"}
          onChange={(event) => onSave({ thinking: event.currentTarget.value as ThinkingLevel })}
        >
          {levels.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      </label>
      {state && (
        <p class="facts">
          Approval level: {state.settings.approval}. It is changed where tempi runs: tempi set {store.id} --approval …
        </p>
      )}
    </form>
  );
}
