import type { AgentEndReason, SessionEvent } from "../../agent/events.ts";
import type { AssistantMessage } from "../../agent/messages.ts";
import type { FollowItem } from "../../client/contract.ts";
import { age, clock, duration, thousands } from "../text/format.ts";
import { type Line, line, linesOf, span, truncate, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** What failed and when it is tried again. */
export function retryLines(
  item: Extract<FollowItem, { kind: "retrying" }>,
  look: Look,
  now: number,
  options: { piped: boolean },
): Line[] {
  const signs = signsOf(look);
  const wait = item.nextTryAt === undefined ? undefined : item.nextTryAt - now;
  const when =
    wait === undefined || wait <= 0 ? "trying again" : `next try ${clock(item.nextTryAt!)} (in ${waitText(wait)})`;
  const hint = options.piped ? "" : ` ${signs.dot} Esc stops`;
  return wrap(line(span(sanitiseLine(`${item.message}, ${when}${hint}`), "yellow")), look.width);
}

/** Seconds up to two minutes, then coarser: `45s`, `12m`, `3h`. */
const waitText = (wait: number): string => (wait < 120_000 ? duration(Math.ceil(wait / 1000) * 1000) : age(wait));

/** What a person said, in bold behind a prompt sign. */
export function userLines(text: string, look: Look): Line[] {
  const lead = `${signsOf(look).prompt} `;
  return [
    [],
    ...linesOf(text, "bold").flatMap((row, index) =>
      wrap([span(index === 0 ? lead : "  ", "bold"), ...row], look.width, { indent: "  " }),
    ),
  ];
}

/** One dim line, whatever the length: its newest words while it grows, its first ones afterwards. */
export function thinkingLine(word: "thinking" | "thought", text: string, look: Look): Line {
  const rows = text.trim().split("\n");
  const shown = word === "thinking" ? (rows.at(-1) ?? "") : (rows[0] ?? "");
  return truncate(line(span(sanitiseLine(`${word}: ${shown.trim()}`), "dim")), look.width, look);
}

/** Why an answer is not whole. */
export function cutText(message: AssistantMessage): string | undefined {
  if (message.stopReason === "aborted") return "stopped here";
  if (message.stopReason === "length") return "the answer was cut at the output limit";
  return message.stopReason === "error" ? (message.errorMessage ?? "the model's answer failed") : undefined;
}

/** How much a compaction freed, or why it did not work. */
export function compactionText(event: Extract<SessionEvent, { type: "compaction_end" }>, look: Look): string {
  if (event.errorMessage !== undefined) return `compaction failed: ${event.errorMessage}`;
  const after = event.tokensAfter === undefined ? "fewer" : thousands(event.tokensAfter);
  return `context compacted: ${thousands(event.tokensBefore)} ${signsOf(look).arrow} ${after} tokens`;
}

/** Words for an end that is no answer; failures and blocks are said by the change of state. */
export function endText(reason: AgentEndReason): string | undefined {
  if (reason === "aborted") return "stopped by a person";
  if (reason === "maxTurns") return "stopped: the limit of turns is reached";
  if (reason === "until") return "stopped: the check failed the same way again and again";
  if (reason === "timeout") return "stopped: the time limit is reached";
  if (reason === "budget") return "stopped: the budget is spent";
  if (reason === "repeated") return "stopped: the same call failed again and again";
  return undefined;
}
