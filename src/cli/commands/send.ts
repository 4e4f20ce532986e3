import { randomUUID } from "node:crypto";
import { chooseTools } from "../../config/active-tools.ts";
import type { ConfigureSignal, Delivery } from "../../protocol/session.ts";
import { exitCodes } from "../exit-codes.ts";
import type { FollowOptions } from "../follow/follow-session.ts";
import { type FollowFlags, follow } from "../follow/how.ts";
import { resolveId } from "../ids.ts";
import { promptText } from "../prompt-text.ts";
import type { CliServices, ConnectedClient, SettingFlags } from "../services.ts";
import { say, withClient } from "./with-client.ts";

export interface SendFlags extends FollowFlags {
  follow?: boolean;
  followUp?: boolean;
  file?: string[];
}

/** Sends to a session, open or closed. The id comes first, so a prompt is never taken for one. */
export async function sendCommand(
  services: CliServices,
  id: string,
  words: readonly string[],
  flags: SendFlags,
): Promise<number> {
  const text = await promptText(services, words, { files: flags.file ?? [], command: `send ${id}` });
  return withClient(services, async (client) => {
    const sessionId = await resolveId(client, id, services.cwd);
    const delivery = flags.followUp ? "followUp" : "steer";
    const since = await deliver(client, sessionId, text, delivery);
    if (!flags.follow && !flags.json) {
      say(services, `sent to ${sessionId}. Follow it: tempi attach ${sessionId}`);
      return exitCodes.answered;
    }
    return follow(client, services, sessionId, { ...flags, ...since });
  });
}

/** `run -c TEXT`: the newest session here goes on, with the settings that were given. */
export async function continueLast(
  services: CliServices,
  words: readonly string[],
  flags: FollowFlags & SettingFlags & { file?: string[]; detach?: boolean },
): Promise<number> {
  const text = await promptText(services, words, { files: flags.file ?? [], command: "run -c" });
  const model = flags.model === undefined ? undefined : await services.model(flags.model);
  return withClient(services, async (client) => {
    const sessionId = await resolveId(client, "last", services.cwd);
    const changes: Omit<ConfigureSignal, "id"> = {
      ...(model === undefined ? {} : { model }),
      ...(flags.thinking === undefined ? {} : { thinking: flags.thinking }),
      ...(flags.approval === undefined ? {} : { approval: flags.approval }),
      ...(flags.tools === undefined
        ? {}
        : { activeTools: chooseTools(flags.tools, (await client.state(sessionId)).settings.activeTools) }),
    };
    const since = await deliver(client, sessionId, text, "steer");
    if (Object.keys(changes).length > 0) await client.configure(sessionId, changes);
    if (flags.detach) {
      services.stdout.write(`${sessionId}\n`);
      return exitCodes.answered;
    }
    return follow(client, services, sessionId, { ...flags, ...since });
  });
}

/** Sends, and tells from where to follow. A closed session answers no query: then its events are told from the start. */
async function deliver(
  client: ConnectedClient,
  sessionId: string,
  text: string,
  delivery: Delivery,
): Promise<Pick<FollowOptions, "after" | "since">> {
  const before = await client.state(sessionId).then(
    (state) => state.lastEvent,
    () => undefined,
  );
  const id = randomUUID();
  await client.send(sessionId, { id, text, delivery });
  return before === undefined ? { since: { messageId: id } } : { after: before, since: { event: before } };
}
