import type { SessionStateName } from "../../agent/events.ts";
import { groupOf } from "../../agent/session-groups.ts";
import { UserError } from "../../config/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { type FollowFlags, follow } from "../follow/how.ts";
import { checkIdShape } from "../ids.ts";
import { pickSession } from "../pick-session.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { say, withClient } from "./with-client.ts";

const waitMs = 15_000;
const endWaitMs = 5_000;
const pollMs = 250;

/** Stops the running turn, or ends the session; says when it really stopped. */
export async function stopCommand(
  services: CliServices,
  id: string | undefined,
  flags: { end?: boolean },
): Promise<number> {
  if (id !== undefined) checkIdShape(id);
  return withClient(services, async (client) => {
    const sessionId = await pickSession(client, services, id, {
      command: "stop",
      fits: (session) => groupOf(session.state) !== "Done",
    });
    if (flags.end) {
      say(services, await endSession(client, services, sessionId));
      return exitCodes.answered;
    }
    const { state } = await client.state(sessionId);
    if (groupOf(state) === "Done") {
      say(services, `${sessionId} is ${state}: nothing to stop.`);
      return exitCodes.answered;
    }
    await client.abort(sessionId, services.person());
    const now = await settledState(client, services, sessionId);
    say(
      services,
      groupOf(now) === "Done"
        ? `${sessionId} stopped. Go on: tempi send ${sessionId} "…"`
        : `${sessionId} was told to stop and still is ${now}. Look: tempi show ${sessionId}`,
    );
    return exitCodes.answered;
  });
}

/** Ends the session and waits until it is; gives what is true then. */
async function endSession(client: ConnectedClient, services: CliServices, sessionId: string): Promise<string> {
  const goOn = `Go on later: tempi send ${sessionId} "…"`;
  const before = (await client.list()).find((session) => session.id === sessionId);
  if (before?.state === "ended" || before?.closedAt !== undefined) return `${sessionId} is already ended. ${goOn}`;
  await client.finish(sessionId, services.person());
  for (let waited = 0; waited < endWaitMs; waited += pollMs) {
    const state = await client.state(sessionId).catch(() => undefined);
    if (state?.state === "ended") return `${sessionId} ended. ${goOn}`;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return `${sessionId} was asked to end and will when its worker answers. Look: tempi show ${sessionId}`;
}

async function settledState(
  client: ConnectedClient,
  services: CliServices,
  sessionId: string,
): Promise<SessionStateName> {
  const end = services.now() + waitMs;
  for (;;) {
    const { state } = await client.state(sessionId);
    if (groupOf(state) === "Done" || services.now() > end) return state;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Goes on with a blocked turn, with another model where one is named. */
export async function retryCommand(
  services: CliServices,
  id: string | undefined,
  flags: FollowFlags & { model?: string; follow?: boolean },
): Promise<number> {
  if (id !== undefined) checkIdShape(id);
  const model = flags.model === undefined ? undefined : await services.model(flags.model);
  return withClient(services, async (client) => {
    const sessionId = await pickSession(client, services, id, {
      command: "retry",
      fits: (session) => session.state === "blocked",
    });
    const { state, lastEvent } = await client.state(sessionId);
    if (state !== "blocked") {
      throw new UserError(`${sessionId} is ${state}, not blocked.`, { next: `tempi send ${sessionId} "go on"` });
    }
    if (model !== undefined) await client.configure(sessionId, { model });
    await client.retry(sessionId, services.person());
    if (!flags.follow && !flags.json) {
      say(services, `${sessionId} goes on. Follow it: tempi attach ${sessionId}`);
      return exitCodes.answered;
    }
    return follow(client, services, sessionId, { ...flags, after: lastEvent, since: { event: lastEvent } });
  });
}
