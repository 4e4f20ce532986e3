import { groupOf } from "../../agent/session-groups.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHere } from "../is-here.ts";
import { listLines } from "../render/list.ts";
import type { CliServices } from "../services.ts";
import { lookOf } from "../text/look.ts";
import { safeJson } from "../text/sanitise.ts";
import { standpoint } from "../workspace.ts";
import { print, say, withClient } from "./with-client.ts";

export interface ListFlags {
  waiting?: boolean;
  here?: boolean;
  all?: boolean;
  json?: boolean;
}

/** Done sessions shown without `--all`. */
const doneMost = 10;

export async function listCommand(services: CliServices, flags: ListFlags): Promise<number> {
  return withClient(
    services,
    async (client) => {
      const here = standpoint(services.cwd);
      const sessions = (await client.list()).filter(
        (session) =>
          (!flags.waiting || groupOf(session.state) === "Needs you") && (!flags.here || isHere(session, here)),
      );
      if (flags.json) {
        services.stdout.write(`${safeJson(sessions)}\n`);
        return exitCodes.answered;
      }
      if (sessions.length === 0) {
        say(services, flags.waiting ? "nothing waits for you." : 'no sessions. Start one: tempi run "what to do"');
        return exitCodes.answered;
      }
      const look = lookOf(services.stdout, services.environment);
      print(
        services,
        listLines(sessions, look, services.now(), { doneMost: flags.all ? Number.POSITIVE_INFINITY : doneMost }),
      );
      return exitCodes.answered;
    },
    { reading: true },
  );
}
