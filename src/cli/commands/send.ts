import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Prompt } from "../../client/contract.ts";
import { chooseTools } from "../../config/active-tools.ts";
import { UserError } from "../../config/errors.ts";
import type { ConfigureSignal, Delivery, ModelSettings, SessionState } from "../../protocol/session.ts";
import { exitCodes } from "../exit-codes.ts";
import type { FollowOptions } from "../follow/follow-session.ts";
import { type FollowFlags, follow } from "../follow/how.ts";
import { resolveId } from "../ids.ts";
import { candidatesToSend, noSessionHere } from "../pick-session.ts";
import { promptText } from "../prompt-text.ts";
import type { CliServices, ConnectedClient, SettingFlags } from "../services.ts";
import { nextStep, sentence } from "../text/format.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { say, sayStarted, withClient } from "./with-client.ts";

export interface SendFlags extends FollowFlags {
  follow?: boolean;
  followUp?: boolean;
  file?: string[];
  image?: string[];
}

/** Sends to a session, open or closed. The id comes first, so a prompt is never taken for one. */
export async function sendCommand(
  services: CliServices,
  id: string | undefined,
  words: readonly string[],
  flags: SendFlags,
): Promise<number> {
  if (id === undefined) {
    if (!services.hasSessions()) throw noSessionHere();
    throw await withClient(services, (client) => candidatesToSend(client, services));
  }
  const text = await promptText(services, words, { files: flags.file ?? [], command: `send ${id}` });
  return withClient(services, async (client) => {
    const sessionId = await resolveId(client, id, services.cwd);
    const delivery = flags.followUp ? "followUp" : "steer";
    const prompt = await withImages(services, client, sessionId, text, flags.image);
    const { blocked, ...since } = await deliver(client, sessionId, { ...prompt, delivery });
    if (blocked !== undefined) sayQueued(services, sessionId, blocked);
    if (!flags.follow && !flags.json) {
      if (blocked === undefined) say(services, `sent to ${sessionId}. Follow it: tempi attach ${sessionId}`);
      return exitCodes.answered;
    }
    return follow(client, services, sessionId, { ...flags, ...since });
  });
}

/** `run -c TEXT`: the newest session here goes on, with the settings that were given. */
export async function continueLast(
  services: CliServices,
  words: readonly string[],
  flags: FollowFlags &
    SettingFlags & { file?: string[]; image?: string[]; detach?: boolean; once?: boolean; cwd?: string },
): Promise<number> {
  refuseStartFlags(flags);
  const text = await promptText(services, words, { files: flags.file ?? [], command: "run -c" });
  const model = flags.model === undefined ? undefined : await services.model(flags.model);
  return withClient(services, async (client) => {
    const sessionId = await resolveId(client, "last", resolve(services.cwd, flags.cwd ?? "."));
    const changes: Omit<ConfigureSignal, "id"> = {
      ...(model === undefined ? {} : { model }),
      ...(flags.thinking === undefined ? {} : { thinking: flags.thinking }),
      ...(flags.approval === undefined ? {} : { approval: flags.approval }),
      ...(flags.tools === undefined
        ? {}
        : { activeTools: chooseTools(flags.tools, (await client.state(sessionId)).settings.activeTools) }),
    };
    const prompt = await withImages(services, client, sessionId, text, flags.image, model);
    const { blocked, ...since } = await deliver(client, sessionId, { ...prompt, delivery: "steer" });
    if (blocked !== undefined) sayQueued(services, sessionId, blocked);
    if (Object.keys(changes).length > 0) await client.configure(sessionId, changes);
    if (flags.detach) {
      sayStarted(services, sessionId, flags);
      return exitCodes.answered;
    }
    return follow(client, services, sessionId, { ...flags, ...since });
  });
}

/** What only the start of a session takes: ignored, it would seem to count. */
function refuseStartFlags(flags: Parameters<typeof continueLast>[2]): void {
  const names: [keyof typeof flags, string][] = [
    ["once", "--once"],
    ["maxTurns", "--max-turns"],
    ["systemPrompt", "--system-prompt"],
    ["until", "--until"],
    ["timeout", "--timeout"],
    ["budget", "--budget"],
  ];
  const given = names.filter(([key]) => flags[key] !== undefined).map(([, name]) => name);
  if (given.length === 0) return;
  throw new UserError(
    `${given.join(" and ")} ${given.length === 1 ? "counts" : "count"} when a session starts; -c goes on with one.`,
    {
      exitCode: exitCodes.usage,
      next: `the same command without ${given.length === 1 ? "it" : "them"}, or without -c`,
    },
  );
}

/** Images are read for the model that will see them: where nobody tells which one that is, it is not checked. */
async function withImages(
  services: CliServices,
  client: ConnectedClient,
  sessionId: string,
  text: string,
  paths: readonly string[] = [],
  model?: ModelSettings,
): Promise<Omit<Prompt, "id">> {
  if (paths.length === 0) return { text };
  const sees = model ?? (await client.state(sessionId).catch(() => undefined))?.settings.model;
  return { text, attachments: await services.images(paths, sees) };
}

type Delivered = Pick<FollowOptions, "after" | "since"> & { blocked?: Pick<SessionState, "cause" | "next"> };

/** Sends, and tells from where to follow. A closed session answers no query: then its events are told from the start. */
async function deliver(
  client: ConnectedClient,
  sessionId: string,
  prompt: Omit<Prompt, "id"> & { delivery: Delivery },
): Promise<Delivered> {
  const before = await client.state(sessionId).catch(() => undefined);
  const id = randomUUID();
  await client.send(sessionId, { id, ...prompt });
  if (before === undefined) return { since: { messageId: id } };
  // No work begins before a person mends it: a follower that waited for some would wait for ever.
  if (before.state === "blocked") return { after: before.lastEvent, blocked: before };
  return { after: before.lastEvent, since: { event: before.lastEvent } };
}

function sayQueued(services: CliServices, sessionId: string, { cause, next }: NonNullable<Delivered["blocked"]>): void {
  const words = `${sessionId} is blocked: ${sentence(sanitiseLine(cause ?? "no cause given"))}`;
  say(services, `${words} The text is queued until it goes on. ${nextStep(next ?? `tempi retry ${sessionId}`)}`);
}
