import { effect, signal } from "@preact/signals";
import type { Overview } from "../../../client/contract.ts";
import { type KeptCard, keepCards } from "../model/kept-cards.ts";
import { doneSince, visitMark } from "../model/last-visit.ts";
import { newlyWaiting } from "../model/overview.ts";
import { notifyWaiting } from "./notify.ts";
import { route } from "./router.ts";
import { shareOverview } from "./shared-overview.ts";

export const overview = signal<Overview | undefined>(undefined);
/** Cards of the first screen, with those decided while it is open. */
export const cards = signal<KeptCard[]>([]);
export const filterText = signal("");
/** Sessions that came to rest since the last visit. */
export const freshlyDone = signal<ReadonlySet<string>>(new Set());

const markKey = "tempi.lastVisit";

export function startOverview(): () => void {
  const mark = readMark();
  const close = shareOverview((next) => {
    notifyWaiting(newlyWaiting(overview.value, next));
    freshlyDone.value = doneSince(next.sessions, mark);
    cards.value = keepCards(route.value.page === "home" ? cards.value : [], next.waiting);
    overview.value = next;
  });
  // Leaving the first screen forgets what was decided on it.
  const stop = effect(() => {
    if (route.value.page !== "home") cards.value = keepCards([], overview.peek()?.waiting ?? []);
  });
  const leave = () => writeMark();
  addEventListener("pagehide", leave);
  return () => {
    close();
    stop();
    removeEventListener("pagehide", leave);
  };
}

function readMark(): string[] | undefined {
  try {
    const mark = JSON.parse(localStorage.getItem(markKey) ?? "null");
    return Array.isArray(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

function writeMark(): void {
  if (overview.value === undefined) return;
  try {
    localStorage.setItem(markKey, JSON.stringify(visitMark(overview.value.sessions)));
  } catch {
    // A browser that stores nothing only loses the mark of what is new.
  }
}
