import { clock } from "../../../agent/format.ts";
import type { Delivery } from "../../../protocol/session.ts";
import { readableText } from "../model/parts.ts";
import { failureText, post } from "../state/api.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Line, Sign } from "./small.tsx";

/** What the session waits for that is no event: a try that comes later, a worker that is away, prompts in the queue. */
export function StreamLines({ store }: { store: SessionStore }) {
  const model = store.watched;
  return (
    <div class="stream-lines">
      {model.retrying && <Retrying store={store} />}
      {model.offline !== undefined && (
        <p class="away">
          <Sign state="none" words="offline" />
          The worker is away; what it did is safe, and it goes on when it is back. <Line text={model.offline} />
        </p>
      )}
      {model.restarts > 0 && (
        <p class="facts">The worker was restarted {model.restarts}×; the session goes on where it was.</p>
      )}
      <Queue store={store} />
    </div>
  );
}

/** The activity that asks the model has a name only we know. */
const whatWords = (what: string): string => (what === "askModel" ? "the model's answer" : readableText(what));

function Retrying({ store }: { store: SessionStore }) {
  const { retrying } = store.watched;
  if (retrying === undefined) return null;
  const { what, message, attempt, nextTryAt } = retrying;
  const stop = () =>
    post(`/api/sessions/${store.id}/stop`).catch((error) => {
      store.problem.value = failureText(error);
    });
  return (
    <p class="away">
      <Sign state="running" words="retrying" />
      <Line text={message} />{" "}
      <span class="facts">
        ({whatWords(what)}, try {attempt})
      </span>
      {nextTryAt !== undefined && `, next try ${clock(nextTryAt)}`} ·{" "}
      <button type="button" class="quiet" onClick={() => void stop()}>
        Stop
      </button>
    </p>
  );
}

const deliveryWords: Record<Delivery, string> = { steer: "steers next", followUp: "follows up" };

function Queue({ store }: { store: SessionStore }) {
  const sent = store.sent.value;
  const queued = store.watched.state?.queued ?? [];
  const others = queued.filter(({ id }) => !sent.has(id) && !store.watched.transcript.hasPrompt(id));
  const waiting = [
    ...[...sent].map(([id, { text, delivery }]) => ({ id, delivery, text })),
    // The text of one that an earlier run received is not known here.
    ...others.map(({ id, delivery, text }) => ({ id, delivery, text: text ?? "a prompt sent earlier" })),
  ];
  if (waiting.length === 0) return null;
  return (
    <ul class="queue" aria-label="Prompts that wait">
      {waiting.map(({ id, delivery, text }) => (
        <li key={id}>
          <span class="facts">{deliveryWords[delivery]}</span> {readableText(text)}
        </li>
      ))}
    </ul>
  );
}
