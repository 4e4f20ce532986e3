import type { SessionEvent } from "../../../agent/events.ts";
import { thousands } from "../../../agent/format.ts";
import type { NoteRow } from "./rows.ts";

/** The line an event stands for on its own; undefined for events that only change other rows. */
export function noteOf(event: SessionEvent): NoteRow | undefined {
  const note = (text: string, tone: NoteRow["tone"] = "plain", next?: string): NoteRow => ({
    kind: "note",
    key: `note:${event.seq}`,
    at: event.at,
    tone,
    text,
    ...(next === undefined ? {} : { next }),
  });
  switch (event.type) {
    case "notice":
      return note(event.text);
    case "decision_refused":
      return note(`A decision of ${event.by} was refused: ${event.reason}`, "warning");
    case "configured":
      return note(`Changed: ${changesText(event.changes)}`);
    case "compaction_start":
      return note(`Summarising: the conversation holds ${thousands(event.tokensBefore)} tokens`);
    case "compaction_end":
      if (event.errorMessage !== undefined) return note(`Summarising did not work: ${event.errorMessage}`, "warning");
      return note(`Summarised: ${thousands(event.tokensBefore)} → ${thousands(event.tokensAfter ?? 0)} tokens`);
    case "state_changed":
      return stateNote(event, note);
    case "agent_end":
      if (event.reason === "maxTurns") return note("Stopped: the most turns for one prompt were used", "warning");
      if (event.reason === "until") return note("Stopped: the check failed the same way again and again", "warning");
      if (event.reason === "timeout") return note("Stopped: the time limit is reached", "warning");
      if (event.reason === "budget") return note("Stopped: the budget is spent", "warning");
      if (event.reason === "repeated") return note("Stopped: the same call failed again and again", "warning");
      return undefined;
    default:
      return undefined;
  }
}

const changesText = (changes: Record<string, string>): string =>
  Object.entries(changes)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

function stateNote(
  { state, cause, next }: SessionEvent & { type: "state_changed" },
  note: (text: string, tone?: NoteRow["tone"], next?: string) => NoteRow,
): NoteRow | undefined {
  switch (state) {
    case "blocked":
      return note(`Blocked: ${cause ?? "only a person can mend it"}`, "error", next);
    case "failed":
      return note(`Failed: ${cause ?? "no cause was told"}`, "error", next);
    case "stopped":
      return note(`Stopped${cause ? `: ${cause}` : ""}`, "warning");
    case "ended":
      return note(`Ended${cause ? `: ${cause}` : ""}`);
    default:
      return undefined;
  }
}
