import { blockedOf, waitingText } from "../model/overview.ts";
import { pathOfSession } from "../model/route.ts";
import { isPhone } from "../state/media.ts";
import { cards, overview } from "../state/overview.ts";
import { Card } from "./card.tsx";
import { NewSession } from "./new-session.tsx";
import { SessionList } from "./session-list.tsx";
import { CopyText, Line, Sign } from "./small.tsx";

/** What needs a person: whole cards, oldest first. On a phone the other sessions follow below. */
export function Home() {
  const phone = isPhone.value;
  const blocked = blockedOf(overview.value);
  const nothing = cards.value.length === 0 && blocked.length === 0;
  const noSessions = (overview.value?.sessions.length ?? 0) === 0;
  return (
    <div class="scroll">
      <div class="column home">
        <h1 tabIndex={-1}>{phone ? <PhoneHeading nothing={nothing} /> : waitingText(overview.value)}</h1>
        {cards.value.map((card) => (
          <Card key={card.approval.id} {...card} />
        ))}
        {blocked.map((session) => (
          <article key={session.id} class="card blocked" aria-label={`Blocked: ${session.title}`}>
            <h2>
              <Sign state="failed" words="blocked" />
              blocked ·{" "}
              <a href={pathOfSession(session.id)}>
                <Line text={session.title} />
              </a>
            </h2>
            <p class="facts">
              <span class="id">{session.id}</span> · <Line text={session.repository} /> · only a person can mend it; the
              session says how
            </p>
          </article>
        ))}
        {nothing && <Beginnings first={noSessions} />}
        {phone && (
          <div class="session-list">
            <SessionList groups={["Working", "Done"]} />
          </div>
        )}
      </div>
    </div>
  );
}

const PhoneHeading = ({ nothing }: { nothing: boolean }) => <>{nothing ? "Nothing needs you" : "Needs you"}</>;

function Beginnings({ first }: { first: boolean }) {
  return (
    <>
      <p class="facts">{first ? "No session yet. " : "Nothing waits for you. "}Start one in a terminal, or here:</p>
      <p>
        <CopyText text={'tempi run "what is to be done"'} />
      </p>
      <NewSession />
    </>
  );
}
