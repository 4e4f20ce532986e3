import type { SessionEvent } from "../../agent/events.ts";
import { type StoredMessage, type ToolResultMessage, textOf } from "../../agent/messages.ts";
import { answeredCalls } from "../../agent/session-account.ts";
import { exitCodes } from "../exit-codes.ts";
import { settledCall } from "../follow/call-rows.ts";
import { userLines } from "../follow/view-lines.ts";
import { checkIdShape } from "../ids.ts";
import { noSessionHere, pickSession } from "../pick-session.ts";
import { accountLines } from "../render/account.ts";
import { markdownLines } from "../render/markdown.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { type Line, linesOf, span, wrap } from "../text/line.ts";
import { type Look, lookOf } from "../text/look.ts";
import { safeJson } from "../text/sanitise.ts";
import { print, withClient } from "./with-client.ts";

/** The events add who decided; an account without them is better than one that never comes. */
const eventsWaitMs = 3_000;

export async function showCommand(
  services: CliServices,
  id: string | undefined,
  flags: { transcript?: boolean; json?: boolean },
): Promise<number> {
  if (id !== undefined) checkIdShape(id);
  else if (!services.hasSessions()) throw noSessionHere();
  return withClient(
    services,
    async (client) => {
      const sessionId = await pickSession(client, services, id, { command: "show", fits: () => true });
      const account = await client.account(sessionId);
      if (flags.json) {
        services.stdout.write(`${safeJson(account)}\n`);
        return exitCodes.answered;
      }
      const look = lookOf(services.stdout, services.environment);
      if (flags.transcript) {
        print(services, transcriptLines(account.messages, look));
        return exitCodes.answered;
      }
      const events = account.live === undefined ? [] : await eventsSoFar(client, sessionId, account.live.lastEvent);
      print(services, accountLines(account, events, look, services.now(), client.uiUrl));
      return exitCodes.answered;
    },
    { reading: true },
  );
}

async function eventsSoFar(client: ConnectedClient, sessionId: string, last: number): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), eventsWaitMs);
  try {
    for await (const item of client.follow(sessionId, { signal: abort.signal })) {
      if (item.kind === "event") events.push(item.event);
      if ((events.at(-1)?.seq ?? 0) >= last) break;
    }
  } catch {
    // Best effort: see above.
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
  return events;
}

/** The whole conversation, as a follower would have shown it. */
function transcriptLines(messages: readonly StoredMessage[], look: Look): Line[] {
  const calls = new Map(answeredCalls(messages).map(({ call, result }) => [result, call]));
  return messages.flatMap(({ message }) => {
    if (message.role === "user") return userLines(textOf(message.content), look);
    if (message.role === "toolResult") return wholeResult(message, calls.get(message)?.arguments ?? {}, look);
    const text = textOf(message.content).trim();
    return text === "" ? [] : [[], ...markdownLines(text, look)];
  });
}

function wholeResult(message: ToolResultMessage, args: Record<string, unknown>, look: Look): Line[] {
  const summary = String(args.command ?? args.path ?? args.pattern ?? "");
  const row = { toolCallId: "", toolName: message.toolName, summary, startedAt: 0 };
  const output = linesOf(textOf(message.content), "dim").flatMap((text) =>
    wrap([span("  "), ...text], look.width, { hard: true, indent: "  " }),
  );
  // Of the settled call only its first line: what follows there is a part of this output.
  return [settledCall(row, message, look)[0]!, ...output];
}
