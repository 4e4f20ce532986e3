import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { groupOf } from "../../agent/session-groups.ts";
import { limits } from "../../protocol/limits.ts";
import { exitCodes } from "../exit-codes.ts";
import { type FollowFlags, follow } from "../follow/how.ts";
import { newSessionId } from "../ids.ts";
import { promptText, titleOf } from "../prompt-text.ts";
import type { CliServices, ConnectedClient, SettingFlags } from "../services.ts";
import { count } from "../text/format.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { type Workspace, workspaceOf } from "../workspace.ts";
import { continueLast } from "./send.ts";
import { refuseInsideSession, say, sayStarted, withClient } from "./with-client.ts";

export interface RunFlags extends SettingFlags, FollowFlags {
  detach?: boolean;
  once?: boolean;
  cwd?: string;
  file?: string[];
  image?: string[];
  yes?: boolean;
  /** Text for the newest session here instead of a new one. */
  continue?: string;
}

/** Starts a session and follows it. Everything that can be wrong is checked before a session exists. */
export async function runCommand(services: CliServices, words: readonly string[], flags: RunFlags): Promise<number> {
  refuseInsideSession(services, "run");
  if (flags.continue !== undefined) return continueLast(services, [flags.continue, ...words], flags);
  const text = await promptText(services, words, { files: flags.file ?? [], command: "run" });
  const workspace = workspaceOf(services.cwd, flags.cwd, { yes: flags.yes ?? false });
  const settings = await services.settings(flags, workspace.cwd);
  const checked = services.checkModel(settings.model);
  // Its error is thrown where it is waited for; until then it must not count as one that nobody handles.
  checked.catch(() => undefined);
  const attachments = await services.images(flags.image ?? [], settings.model);
  const environment = await services.commandEnvironment();
  const start = async (client: ConnectedClient): Promise<number> => {
    await checked;
    await sayNeighbours(client, services, workspace);
    sayIgnored(services, workspace);
    if (settings.approval === "auto") {
      say(services, "approval auto: everything runs without asking, unsandboxed, as you.");
    }
    const sessionId = newSessionId();
    await client.start(
      {
        v: 1,
        sessionId,
        title: titleOf(text),
        cwd: workspace.cwd,
        repository: workspace.repository,
        environment,
        settings,
        closeAfterMs: flags.once ? 0 : limits.closeAfterMs,
      },
      { id: randomUUID(), text, ...(attachments.length > 0 ? { attachments } : {}) },
    );
    if (flags.detach) {
      sayStarted(services, sessionId, flags);
      return exitCodes.answered;
    }
    if (!flags.json && !services.stdout.isTTY) say(services, `session ${sessionId}`);
    return follow(client, services, sessionId, { ...followFlags(flags), since: { event: 0 } });
  };
  return withClient(services, start, { yes: flags.yes ?? false });
}

export const followFlags = (flags: FollowFlags): FollowFlags => ({
  ...(flags.json === undefined ? {} : { json: flags.json }),
  ...(flags.onAsk === undefined ? {} : { onAsk: flags.onAsk }),
});

/** Of a repository's settings little counts, and nothing before it is trusted: said, not silent. */
function sayIgnored(services: CliServices, workspace: Workspace): void {
  if (!existsSync(join(workspace.cwd, ".tempi", "config.toml"))) return;
  say(
    services,
    "of this folder's .tempi/config.toml only rules that ask or deny count, and only once trusted (tempi trust).",
  );
}

/**
 * Edits of several sessions in one folder take turns (the worker queues them per file, so on one machine), everything
 * else does not: said once, before it starts.
 */
async function sayNeighbours(client: ConnectedClient, services: CliServices, workspace: Workspace): Promise<void> {
  const others = (await client.list()).filter(
    (session) => session.cwd === workspace.cwd && groupOf(session.state) !== "Done",
  );
  if (others.length === 0) return;
  const ids = others.map((session) => sanitiseLine(session.id)).join(", ");
  say(
    services,
    `${count(others.length, "other session")} in this folder (${ids}): edits take turns on this machine, tests and git commands do not.`,
  );
}
