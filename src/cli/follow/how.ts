import { isInteractive } from "../questions.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { type FollowOptions, followSession } from "./follow-session.ts";
import { JsonPresenter } from "./json-presenter.ts";
import { PlainPresenter } from "./plain-presenter.ts";
import { TerminalPresenter } from "./terminal-presenter.ts";

export interface FollowFlags {
  json?: boolean;
  onAsk?: "park" | "deny";
}

/** Follows in the way that fits: JSON where asked for, cards on a terminal, plain lines elsewhere. */
export async function follow(
  client: ConnectedClient,
  services: CliServices,
  sessionId: string,
  flags: FollowFlags & Pick<FollowOptions, "after" | "since">,
): Promise<number> {
  const terminal = !flags.json && isInteractive(services);
  const { notify, onAsk } = await services.defaults();
  return followSession(client, services, {
    sessionId,
    onAsk: flags.onAsk ?? (terminal ? "ask" : onAsk),
    ...(flags.after === undefined ? {} : { after: flags.after }),
    ...(flags.since === undefined ? {} : { since: flags.since }),
    presenter: (tracker) => {
      if (flags.json) return new JsonPresenter(tracker, services, sessionId);
      if (terminal) return new TerminalPresenter(tracker, services, { sessionId, notify });
      return new PlainPresenter(tracker, services, sessionId);
    },
  });
}
