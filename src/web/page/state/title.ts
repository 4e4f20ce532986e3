import { effect } from "@preact/signals";
import { visibleText } from "../../../agent/visible-text.ts";
import { pageTitle, waitingCount } from "../model/overview.ts";
import { overview } from "./overview.ts";
import { route } from "./router.ts";

/** The tab's title tells how many things wait, also while another tab is in front. */
export function startTitle(): void {
  effect(() => {
    const asked = route.value;
    const id = asked.page === "session" ? asked.id : undefined;
    const title = overview.value?.sessions.find((session) => session.id === id)?.title;
    document.title = pageTitle(waitingCount(overview.value), title && visibleText(title));
  });
}
