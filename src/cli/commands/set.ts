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
  flags: Omit<SettingFlags, "maxTurns"> & { title?: string },
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
  if (names.length === 0) {
    throw new UserError("set needs something to change.", {
      exitCode: exitCodes.usage,
      next: `tempi set ${id ?? "ID"} --model NAME (or --thinking, --approval, --tools, --title)`,
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
    await client.configure(sessionId, changes);
    say(services, `${sessionId}: ${names.join(", ")} changed; it counts from the next turn on.`);
    return exitCodes.answered;
  });
}
