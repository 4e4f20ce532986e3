import { effect, signal } from "@preact/signals";
import { groupOf } from "../../../agent/session-groups.ts";
import { overview } from "./overview.ts";
import { route } from "./router.ts";
import { SessionStore } from "./session-store.ts";

/** The list may lag behind a session that just closed. */
const reopenPauseMs = 500;

/** The session that is looked at. */
export const chosen = signal<SessionStore | undefined>(undefined);

/** Keeps `chosen` in step with the address, and looks again when a closed session works again. */
export function startSessions(): void {
  effect(() => {
    const id = route.value.page === "session" ? route.value.id : undefined;
    const before = chosen.peek();
    if (before?.id === id) return;
    before?.close();
    const next = id === undefined ? undefined : new SessionStore(id);
    next?.open();
    chosen.value = next;
  });
  effect(() => {
    const store = chosen.value;
    // Also when its stream ends: the list may have known before that it works again.
    store?.version.value;
    const line = overview.value?.sessions.find(({ id }) => id === store?.id);
    if (store?.model.closed !== undefined && line !== undefined && groupOf(line.state) !== "Done") {
      const timer = setTimeout(() => store.reconnect(), reopenPauseMs);
      return () => clearTimeout(timer);
    }
    return undefined;
  });
}
