import { useState } from "preact/hooks";
import type { GroupName } from "../../../agent/session-groups.ts";
import type { SessionSummary } from "../../../client/contract.ts";
import { factsOf, groupsOf, signOfState } from "../model/overview.ts";
import { pathOfSession } from "../model/route.ts";
import { now } from "../state/clock.ts";
import { filterText, freshlyDone, overview } from "../state/overview.ts";
import { route } from "../state/router.ts";
import { Line, Sign } from "./small.tsx";

const mostDone = 30;

/** The sessions in their groups. On a narrow screen `Needs you` is not one of them: its cards stand above. */
export function SessionList({ groups }: { groups: readonly GroupName[] }) {
  const shown = groupsOf(overview.value?.sessions ?? [], filterText.value).filter(({ name }) => groups.includes(name));
  const empty = shown.every(({ sessions }) => sessions.length === 0);
  return (
    <>
      <label class="filter">
        <span class="only-read">Filter sessions by text or repository</span>
        <input
          type="search"
          placeholder="Filter by text, repository  /"
          value={filterText.value}
          onInput={(event) => {
            filterText.value = event.currentTarget.value;
          }}
        />
      </label>
      {shown.map(({ name, sessions }) => (
        <Group key={name} name={name} sessions={sessions} />
      ))}
      {empty && filterText.value !== "" && <p class="facts pad">No session fits.</p>}
    </>
  );
}

function Group({ name, sessions }: { name: GroupName; sessions: SessionSummary[] }) {
  const [all, setAll] = useState(false);
  if (sessions.length === 0) return null;
  const fresh = freshlyDone.value;
  // What came to rest since the last visit is what one comes back for.
  const ordered =
    name === "Done" && fresh.size > 0
      ? [...sessions.filter(({ id }) => fresh.has(id)), ...sessions.filter(({ id }) => !fresh.has(id))]
      : sessions;
  const shown = name === "Done" && !all ? ordered.slice(0, Math.max(mostDone, fresh.size)) : ordered;
  return (
    <section>
      <h2>
        {name} <span class="number">{sessions.length}</span>
      </h2>
      <ul>
        {shown.map((session) => (
          <Entry key={session.id} session={session} isNew={name === "Done" && fresh.has(session.id)} />
        ))}
      </ul>
      {shown.length < ordered.length && (
        <button type="button" class="quiet pad" onClick={() => setAll(true)}>
          {ordered.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function Entry({ session, isNew }: { session: SessionSummary; isNew: boolean }) {
  const asked = route.value;
  const current = asked.page === "session" && asked.id === session.id;
  const [state, ...facts] = factsOf(session, now.value);
  return (
    <li>
      <a href={pathOfSession(session.id)} {...(current ? { "aria-current": "page" as const } : {})}>
        <span class="entry-title">
          <Sign state={signOfState[session.state]} words="" />
          <span class="entry-words">
            <Line text={session.title || session.id} />
          </span>
          {isNew && <span class="new">new</span>}
          {session.waiting > 1 && <span class="waits">{session.waiting} wait</span>}
        </span>
        <span class="entry-facts">
          <span class={`state state-${session.state}`}>{state}</span> · <Line text={facts.join(" · ")} />
        </span>
      </a>
    </li>
  );
}
