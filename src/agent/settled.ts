import { deniedText } from "./approval.ts";
import type { SettledCall } from "./prepared-call.ts";

/** What the model reads in place of a tool's result. */
export function settledText(call: Pick<SettledCall, "code" | "reason">): string {
  switch (call.code) {
    case "aborted":
      return "Not run: a person stopped this turn before the call started.";
    case "gaveUp":
      return "Stopped by a person. The tool did not end within 10 seconds; it may still run, and what it did so far may have taken effect.";
    case "denied":
      return call.reason ? `A person denied this call: ${call.reason}` : deniedText;
    case "length":
      return "Not run: the answer was cut off at the output limit, so its calls may be incomplete. Send the call again, in smaller parts if it is long.";
    case "failed":
      return `The call failed inside tempi, not in the tool; it may have run: ${call.reason ?? "no reason is known"}`;
    case "tooMany":
      return "Not run: too many calls in one answer. Send it again in a later turn, fewer at a time.";
  }
}
