import { age, costOf, count, modelName, tokens } from "../../../agent/format.ts";
import type { Usage } from "../../../agent/messages.ts";
import { type GroupName, groupNames, groupOf } from "../../../agent/session-groups.ts";
import type { Overview, SessionSummary, WaitingApproval } from "../../../client/contract.ts";
import type { SignState } from "./signs.ts";

export interface SessionGroup {
  name: GroupName;
  sessions: SessionSummary[];
}

/** The list in its groups, in the order the server gave; empty groups too. `filter` looks at title, repository, id, model, state. */
export function groupsOf(sessions: readonly SessionSummary[], filter: string): SessionGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (session: SessionSummary): boolean => {
    const text = `${session.title} ${session.repository} ${session.id} ${session.model} ${session.state}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groupNames.map((name) => ({
    name,
    sessions: sessions.filter((session) => groupOf(session.state) === name && fits(session)),
  }));
}

export const signOfState: Record<SessionSummary["state"], SignState> = {
  waiting: "asks",
  blocked: "failed",
  running: "running",
  retrying: "running",
  offline: "none",
  idle: "done",
  stopped: "none",
  failed: "failed",
  ended: "none",
};

/** `$0.04`, `at least $0.04`, or the tokens and that the cost is unknown; "" before the session came to rest for the first time. */
export function costText(usage: Usage | undefined): string {
  if (usage === undefined) return "";
  return usage.cost === undefined ? `${tokens(usage)}, cost unknown` : costOf(usage);
}

/** The second line of a list entry, in parts; what is not known is left out. The longest comes last: a narrow list cuts it. */
export function factsOf(session: SessionSummary, now: number): string[] {
  return [
    session.state,
    session.repository,
    age(now - (session.closedAt ?? session.startedAt)),
    costText(session.usage),
    modelName(session.model),
  ].filter((part) => part !== "");
}

/** Blocked sessions need a person as much as approvals do, but there is nothing to allow. */
export const blockedOf = (overview: Overview | undefined): SessionSummary[] =>
  (overview?.sessions ?? []).filter((session) => session.state === "blocked");

/** How many things wait for a person. */
export const waitingCount = (overview: Overview | undefined): number =>
  (overview?.waiting.length ?? 0) + blockedOf(overview).length;

/** `2 approvals wait`, `1 approval waits, 1 session is blocked`, `Nothing waits`. */
export function waitingText(overview: Overview | undefined): string {
  const waiting = overview?.waiting.length ?? 0;
  const blocked = blockedOf(overview).length;
  const parts = [
    ...(waiting > 0 ? [`${count(waiting, "approval")} ${waiting === 1 ? "waits" : "wait"}`] : []),
    ...(blocked > 0 ? [`${count(blocked, "session")} ${blocked === 1 ? "is" : "are"} blocked`] : []),
  ];
  return parts.join(", ") || "Nothing waits";
}

export const pageTitle = (waiting: number, title: string | undefined): string =>
  `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title.slice(0, 60)} · ` : ""}tempi`;

/** What came to wait since the last look; nothing at the first look, when everything is new. */
export function newlyWaiting(before: Overview | undefined, after: Overview): WaitingApproval[] {
  if (before === undefined) return [];
  const known = new Set(before.waiting.map(({ approval }) => approval.id));
  return after.waiting.filter(({ approval }) => !known.has(approval.id));
}
