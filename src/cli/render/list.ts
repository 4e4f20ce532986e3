import { type GroupName, groupNames, groupOf } from "../../agent/session-groups.ts";
import type { SessionSummary } from "../../client/contract.ts";
import { age } from "../text/format.ts";
import { type Line, line, lineWidth, type Span, span, truncate } from "../text/line.ts";
import { type Look, type Signs, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { fitWidth } from "../text/width.ts";

const signOf: Record<SessionSummary["state"], { sign: keyof Signs; tone: Span["tones"][number] }> = {
  waiting: { sign: "asks", tone: "yellow" },
  blocked: { sign: "failed", tone: "red" },
  running: { sign: "running", tone: "blue" },
  retrying: { sign: "running", tone: "yellow" },
  offline: { sign: "none", tone: "yellow" },
  idle: { sign: "done", tone: "green" },
  stopped: { sign: "none", tone: "dim" },
  failed: { sign: "failed", tone: "red" },
  ended: { sign: "none", tone: "dim" },
};

/** One row per session in aligned columns: sign, id, state, age, title, and the repository where there is room. */
export function sessionRows(
  sessions: readonly SessionSummary[],
  look: Look,
  now: number,
  options: { lead?: (index: number) => string } = {},
): Line[] {
  const width = Number.isFinite(look.width) ? look.width : 120;
  const signs = signsOf(look);
  const repositoryWidth = width >= 80 ? 16 : 0;
  const stateWidth = Math.max(8, ...sessions.map((session) => stateText(session).length));
  return sessions.map((session, index) => {
    const { sign, tone } = signOf[session.state];
    const row = line(
      options.lead?.(index),
      span(signs[sign], tone),
      " ",
      span(session.id, "bold"),
      ` ${stateText(session).padEnd(stateWidth)} `,
      span(age(now - (session.closedAt ?? session.startedAt)).padStart(3), "dim"),
      repositoryWidth > 0 &&
        span(` ${fitWidth(sanitiseLine(session.repository), repositoryWidth, signs.ellipsis)}`, "dim"),
      " ",
    );
    return truncate([...row, span(sanitiseLine(session.title))], width, look);
  });
}

const stateText = (session: SessionSummary): string =>
  session.waiting > 1 ? `${session.state} (${session.waiting})` : session.state;

/** The list in its groups; empty groups are left out. `doneMost` = done sessions shown before the rest folds. */
export function listLines(
  sessions: readonly SessionSummary[],
  look: Look,
  now: number,
  options: { doneMost: number },
): Line[] {
  const groups = groupNames.map((group) => {
    const own = sessions.filter((session) => groupOf(session.state) === group);
    return { group, own, shown: group === "Done" ? own.slice(0, options.doneMost) : own };
  });
  // Laid out together, so that the columns of all groups stand in line.
  const laidOut = sessionRows(
    groups.flatMap(({ shown }) => shown),
    look,
    now,
  );
  const rows: Line[] = [];
  for (const { group, own, shown } of groups) {
    if (own.length === 0) continue;
    rows.push(groupHead(group, own.length), ...laidOut.splice(0, shown.length));
    if (shown.length < own.length) {
      rows.push(line(span(`  ${own.length - shown.length} more: tempi list --all`, "dim")));
    }
  }
  return rows.filter((row) => lineWidth(row) > 0);
}

const groupHead = (group: GroupName, size: number): Line => line(span(group, "bold"), span(` ${size}`, "dim"));
