import { randomInt } from "node:crypto";
import type { SessionSummary } from "../client/contract.ts";
import { UserError } from "../config/errors.ts";
import { sessionIdAlphabet } from "../protocol/session.ts";
import { isHere } from "./is-here.ts";
import type { ConnectedClient } from "./services.ts";
import { standpoint } from "./workspace.ts";

/** A new session id: six characters that nobody confuses. */
export const newSessionId = (): string =>
  Array.from({ length: 6 }, () => sessionIdAlphabet[randomInt(sessionIdAlphabet.length)]).join("");

const prefixPattern = new RegExp(`^[${sessionIdAlphabet}]{1,6}$`);

export const noSuchSession = (text: string): UserError => {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new UserError(`no such session: ${JSON.stringify(shown)}.`, { next: "tempi list --all" });
};

/** Refuses what cannot be an id before anything is asked; gives the id as it would be written. */
export function checkIdShape(text: string): string {
  const id = text.trim().toLowerCase();
  if (id !== "last" && !prefixPattern.test(id)) throw noSuchSession(text);
  return id;
}

/** The full id of a prefix, or of the newest session of the repository around `here`; what fits nothing or too much is an error with the candidates. */
export async function resolveId(client: ConnectedClient, text: string, here: string): Promise<string> {
  const id = checkIdShape(text);
  if (id === "last") return newestHere(await client.list(), here);
  try {
    return await client.resolve(id);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "SessionNotFound") throw error;
    const candidates = (error as { candidates?: unknown }).candidates;
    if (!Array.isArray(candidates) || candidates.length === 0) throw noSuchSession(text);
    const names = candidates.map((one) => (typeof one === "string" ? one : String((one as { id?: unknown }).id)));
    throw new UserError(`"${text}" fits ${names.length} sessions: ${names.join(", ")}.`, { next: "tempi list" });
  }
}

const candidatesMost = 5;

/** Another repository's session is never meant: it would get a prompt, or an answer, that is not for it. */
function newestHere(sessions: readonly SessionSummary[], here: string): string {
  const newest = sessions.toSorted((a, b) => b.startedAt - a.startedAt);
  const found = newest.find((session) => isHere(session, standpoint(here)));
  if (found) return found.id;
  if (newest.length === 0) throw new UserError("there is no session yet.", { next: 'tempi run "what to do"' });
  const others = newest.slice(0, candidatesMost).map(({ id, repository }) => `${id} (${repository})`);
  throw new UserError(`there is no session of this repository; elsewhere: ${others.join(", ")}.`, {
    next: "the same command with an id",
  });
}
