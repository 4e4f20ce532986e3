import { waitingCount, waitingText } from "../model/overview.ts";
import { me } from "../state/enter.ts";
import { helpIsOpen } from "../state/keys.ts";
import { isPhone } from "../state/media.ts";
import { askForNotifications, notifications } from "../state/notify.ts";
import { overview } from "../state/overview.ts";
import { route } from "../state/router.ts";
import { disconnected } from "../state/stream.ts";
import { Sign } from "./small.tsx";

/** What waits is always in sight, with the way there. */
export function Header() {
  const waiting = waitingCount(overview.value);
  const atHome = route.value.page === "home";
  return (
    <header class="top">
      <a class="brand" href="/" {...(atHome ? { "aria-current": "page" as const } : {})}>
        {isPhone.value && !atHome ? "‹ tempi" : "tempi"}
      </a>
      <a class={`waiting ${waiting > 0 ? "some" : ""}`} href="/">
        {waiting > 0 && <Sign state="asks" words="" />}
        {isPhone.value ? shortWaiting(waiting) : waitingText(overview.value)}
      </a>
      <Connection />
      <span class="grow" />
      {notifications.value === "default" && (
        <button type="button" class="quiet" onClick={() => void askForNotifications()}>
          Notify me
        </button>
      )}
      <a class="button quiet" href="/#new">
        New<span class="wide-only">{"\u00a0session"}</span>
      </a>
      {!isPhone.value && (
        <button
          type="button"
          class="quiet"
          aria-label="Help: keys"
          onClick={() => {
            helpIsOpen.value = true;
          }}
        >
          ?
        </button>
      )}
      {me.value && <span class="facts wide-only">{me.value.name}</span>}
    </header>
  );
}

const shortWaiting = (waiting: number): string =>
  waiting === 0 ? "nothing waits" : `${waiting} ${waiting === 1 ? "waits" : "wait"}`;

/** One polite line: what waits, and whether the page still hears. */
const Connection = () => (
  <span class="connection" role="status">
    <span class="only-read">{waitingText(overview.value)}</span>
    {disconnected.value > 0
      ? "reconnecting…"
      : overview.value?.offline !== undefined && `may be out of date: ${overview.value.offline}`}
  </span>
);
