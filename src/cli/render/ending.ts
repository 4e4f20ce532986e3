import type { FileChange } from "../../agent/session-account.ts";
import { fileChanges } from "../../agent/session-account.ts";
import type { FollowEnd } from "../follow/presenter.ts";
import type { SessionTracker } from "../follow/tracker.ts";
import { costOf, count, nextStep, sentence, tokens } from "../text/format.ts";
import { type Line, line, span, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** What a follower says last: how it ended, what it cost, the next command, and what survived. */
export function endingLines(tracker: SessionTracker, end: FollowEnd, sessionId: string, look: Look): Line[] {
  const rows = [...words(tracker, end, sessionId, look)];
  if (tracker.restarts > 0) {
    const times = `${tracker.restarts}${signsOf(look).times}`;
    rows.push(line(span(`worker restarted ${times}, nothing repeated, nothing lost`, "dim")));
  }
  return rows.flatMap((row) => wrap(row, look.width, { indent: "  " }));
}

function words(tracker: SessionTracker, end: FollowEnd, id: string, look: Look): Line[] {
  const signs = signsOf(look);
  const dot = ` ${signs.dot} `;
  const send = `tempi send ${id} "…"`.replace("…", signs.ellipsis);
  if (end.kind === "left") return [line(span(`${id} goes on. Come back: tempi attach ${id}`))];
  if (end.kind === "asked") {
    return [line(`asked to stop; ${id} will stop when its worker answers. Look: tempi show ${id}`)];
  }
  if (end.kind === "parked") {
    const waiting = tracker.pending.map((approval) =>
      line(
        span(`${signs.asks} ${approval.toolName}`, "yellow"),
        ` ${sanitiseLine(approval.summary)}`,
        span(` ${dot.trim()} tempi approve ${id} ${approval.id}`, "dim"),
      ),
    );
    return [...waiting, line(`${id} waits for you. Next: tempi approve ${id}`)];
  }
  const numbers = [
    count(tracker.turns, "turn"),
    tokens(tracker.usage),
    costOf(tracker.usage),
    changedText(fileChanges(tracker.messages), look),
  ].filter((part) => part !== "");
  const figures = line(span(numbers.join(dot), "dim"));
  const cause = tracker.cause ?? "no cause given";
  switch (tracker.current) {
    case "blocked":
      return [
        figures,
        line(`tempi: ${id} is blocked: ${sentence(cause)} ${nextStep(tracker.next ?? `tempi retry ${id}`)}`),
      ];
    case "failed":
      return [figures, line(`tempi: ${id} failed: ${sentence(cause)} ${nextStep(tracker.next ?? `tempi show ${id}`)}`)];
    case "stopped":
      return [figures, line(`${id} stopped${tracker.cause ? `: ${sentence(tracker.cause)}` : "."} Go on: ${send}`)];
    case "ended":
      return [figures, line(`${id} was ended${tracker.cause ? `: ${sentence(tracker.cause)}` : "."} Go on: ${send}`)];
    default: {
      const denied =
        end.deniedUnasked > 0 ? `${dot}${count(end.deniedUnasked, "call")} denied: nobody could answer` : "";
      return [
        line(span(`${signs.done} answered`, "green"), span(`${dot}${numbers.join(dot)}${denied}`, "dim")),
        line(span(`Go on: ${send}${dot}tempi show ${id}`, "dim")),
      ];
    }
  }
}

/** `+12 −3 in 2 files`, or nothing. */
function changedText(files: readonly FileChange[], look: Look): string {
  if (files.length === 0) return "";
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `+${added} ${signsOf(look).minus}${removed} in ${count(files.length, "file")}`;
}
