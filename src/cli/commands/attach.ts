import { groupOf } from "../../agent/session-groups.ts";
import { type FollowFlags, follow } from "../follow/how.ts";
import { checkIdShape } from "../ids.ts";
import { pickSession } from "../pick-session.ts";
import type { CliServices } from "../services.ts";
import { withClient } from "./with-client.ts";

/** Follows a session from its first event. */
export async function attachCommand(
  services: CliServices,
  id: string | undefined,
  flags: FollowFlags,
): Promise<number> {
  if (id !== undefined) checkIdShape(id);
  // Reading needs no worker: the follower says that it is away.
  return withClient(
    services,
    async (client) => {
      const sessionId = await pickSession(client, services, id, {
        command: "attach",
        fits: (session) => groupOf(session.state) !== "Done",
      });
      return follow(client, services, sessionId, flags);
    },
    { reading: true },
  );
}
