import type { SessionSummary } from "../client/contract.ts";
import { UserError } from "../config/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { noSuchSession, resolveId } from "./ids.ts";
import { isHere } from "./is-here.ts";
import { ask, isInteractive } from "./questions.ts";
import { sessionRows } from "./render/list.ts";
import type { CliServices, ConnectedClient } from "./services.ts";
import { paint } from "./text/line.ts";
import { lookOf } from "./text/look.ts";
import { standpoint } from "./workspace.ts";

/** Sessions that an error names, where it need not name all. */
const candidatesMost = 5;

const named = (sessions: readonly SessionSummary[]): string =>
  sessions.map((session) => `${session.id} (${session.title.slice(0, 30)})`).join(", ");

/**
 * The session a command means: the one that was named, else the only one of this repository that fits, else the
 * person picks one, else exit 2 with the candidates.
 */
export async function pickSession(
  client: ConnectedClient,
  services: CliServices,
  given: string | undefined,
  want: { command: string; fits: (session: SessionSummary) => boolean },
): Promise<string> {
  const here = standpoint(services.cwd);
  if (given !== undefined) return resolveId(client, given, here.cwd);
  const own = (await client.list()).filter((session) => isHere(session, here));
  if (own.length === 0) throw noSessionHere();
  const fitting = own.filter(want.fits);
  if (fitting.length === 1) return fitting[0]!.id;
  if (fitting.length === 0) {
    throw new UserError("no session of this repository fits, and none was named.", {
      exitCode: exitCodes.usage,
      next: `tempi list, then tempi ${want.command} ID`,
    });
  }
  if (isInteractive(services)) return pickByNumber(services, fitting);
  throw new UserError(`several sessions fit: ${named(fitting)}.`, {
    exitCode: exitCodes.usage,
    next: `tempi ${want.command} ${fitting[0]!.id}`,
  });
}

export const noSessionHere = (): UserError =>
  new UserError("there is no session here yet.", { exitCode: exitCodes.usage, next: 'tempi run "what to do"' });

/** `send` alone: which sessions there are. The text is missing too, so none is picked. */
export async function candidatesToSend(client: ConnectedClient, services: CliServices): Promise<UserError> {
  const here = standpoint(services.cwd);
  const own = (await client.list()).filter((session) => isHere(session, here));
  if (own.length === 0) return noSessionHere();
  return new UserError(`send needs a session and a text. Sessions here: ${named(own.slice(0, candidatesMost))}.`, {
    exitCode: exitCodes.usage,
    next: `tempi send ${own[0]!.id} "what to do"`,
  });
}

async function pickByNumber(services: CliServices, sessions: SessionSummary[]): Promise<string> {
  const look = lookOf(services.stdout, services.environment);
  const digits = String(sessions.length).length;
  const lead = (index: number): string => `${String(index + 1).padStart(digits)} `;
  for (const row of sessionRows(sessions, look, services.now(), { lead })) {
    services.stdout.write(`${paint(row, look)}\n`);
  }
  const answer = await ask(services, "which one? ");
  const chosen = sessions[Number(answer?.trim()) - 1] ?? sessions.find((session) => session.id === answer?.trim());
  if (chosen === undefined) throw noSuchSession(answer ?? "");
  return chosen.id;
}
