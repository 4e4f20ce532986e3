import type { SessionRule } from "../../agent/approval.ts";
import { groupOf } from "../../agent/session-groups.ts";
import { chooseTools } from "../../config/active-tools.ts";
import { UserError } from "../../config/errors.ts";
import type { ConfigureSignal } from "../../protocol/session.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkIdShape } from "../ids.ts";
import { pickSession } from "../pick-session.ts";
import type { CliServices, SettingFlags } from "../services.ts";
import { refuseInsideSession, say, withClient } from "./with-client.ts";

/** Changes the settings of a session; they count from its next turn on. */
export async function setCommand(
  services: CliServices,
  id: string | undefined,
  flags: Omit<SettingFlags, "maxTurns"> & { title?: string; forget?: string },
): Promise<number> {
  refuseInsideSession(services, "set");
  if (id !== undefined) checkIdShape(id);
  const changes: Omit<ConfigureSignal, "id"> = {
    ...(flags.model === undefined ? {} : { model: await services.model(flags.model) }),
    ...(flags.thinking === undefined ? {} : { thinking: flags.thinking }),
    ...(flags.approval === undefined ? {} : { approval: flags.approval }),
    ...(flags.title === undefined ? {} : { title: flags.title }),
  };
  const names = [...Object.keys(changes), ...(flags.tools === undefined ? [] : ["tools"])];
  if (flags.forget !== undefined) names.push("rules");
  if (names.length === 0) {
    throw new UserError("set needs something to change.", {
      exitCode: exitCodes.usage,
      next: `tempi set ${id ?? "ID"} --model NAME (or --thinking, --approval, --tools, --title, --forget)`,
    });
  }
  return withClient(services, async (client) => {
    const sessionId = await pickSession(client, services, id, {
      command: "set",
      fits: (session) => groupOf(session.state) !== "Done",
    });
    if (flags.tools !== undefined) {
      changes.activeTools = chooseTools(flags.tools, (await client.state(sessionId)).settings.activeTools);
    }
    if (flags.forget !== undefined) {
      changes.forget = rulesToForget((await client.state(sessionId)).rules, flags.forget, sessionId);
    }
    await client.configure(sessionId, changes);
    say(services, `${sessionId}: ${names.join(", ")} changed; it counts from the next turn on.`);
    return exitCodes.answered;
  });
}

/** Keys of the rules that numbers (from 1, as `show` lists them) or `all` mean. */
function rulesToForget(rules: readonly SessionRule[], wanted: string, sessionId: string): string[] {
  const next = { exitCode: exitCodes.usage, next: `tempi show ${sessionId}` };
  if (rules.length === 0) throw new UserError("nothing was allowed for the rest of this session.", next);
  if (wanted === "all") return rules.map(({ key }) => key);
  return wanted.split(",").map((number) => {
    const rule = /^[1-9]\d{0,3}$/.test(number.trim()) ? rules[Number(number) - 1] : undefined;
    if (!rule) throw new UserError(`--forget takes numbers from 1 to ${rules.length}, or all; not "${number}".`, next);
    return rule.key;
  });
}
