import { count, modelName } from "../../../agent/format.ts";
import { groupOf } from "../../../agent/session-groups.ts";
import { costText, signOfState } from "../model/overview.ts";
import { readableText } from "../model/parts.ts";
import { overview } from "../state/overview.ts";
import type { SessionStore } from "../state/session-store.ts";
import { SessionActions } from "./session-actions.tsx";
import { Age, Line, Sign } from "./small.tsx";

/** Title, state and what can be done with the session; stays in sight. */
export function SessionHead({ store, onApproval }: { store: SessionStore; onApproval: () => void }) {
  const model = store.watched;
  const line = overview.value?.sessions.find(({ id }) => id === store.id);
  const summary = line ?? store.account.value?.summary;
  const state = model.current ?? summary?.state;
  const title = model.state?.title ?? summary?.title ?? store.id;
  const pending = model.pending.length;
  const usage = model.usage ?? store.account.value?.usage ?? summary?.usage;
  const facts = [
    summary?.repository ?? model.state?.repository ?? "",
    summary ? modelName(summary.model) : "",
    costText(usage),
  ].filter((fact) => fact !== "");
  return (
    <header class="session-head">
      <h1>
        <Line text={title} />
      </h1>
      <div class="head-line">
        <p class="facts">
          {state && (
            <span class={`state state-${state}`}>
              <Sign state={signOfState[state]} words="" />
              {state}
            </span>
          )}{" "}
          · <span class="id">{store.id}</span> · {readableText(facts.join(" · "))}
          {summary && (
            <>
              {" · "}
              <Age since={summary.closedAt ?? summary.startedAt} />
            </>
          )}
        </p>
        <SessionActions store={store} {...(state === undefined ? {} : { state, group: groupOf(state) })}>
          {pending > 0 && (
            <button type="button" class="jump" onClick={onApproval}>
              {count(pending, "approval")} {pending === 1 ? "waits" : "wait"} ↓
            </button>
          )}
        </SessionActions>
      </div>
    </header>
  );
}
