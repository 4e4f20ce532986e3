import { randomInt } from "node:crypto";
import { UserError } from "../config/errors.ts";
import { sessionIdAlphabet } from "../protocol/session.ts";
import type { ConnectedClient } from "./services.ts";

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

/** The full id of a prefix or `last`; an unknown or ambiguous one is exit 1 with the candidates. */
export async function resolveId(client: ConnectedClient, text: string, here: string): Promise<string> {
  const id = checkIdShape(text);
  try {
    return await client.resolve(id, here);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "SessionNotFound") throw error;
    const candidates = (error as { candidates?: unknown }).candidates;
    if (!Array.isArray(candidates) || candidates.length === 0) throw noSuchSession(text);
    const names = candidates.map((one) => (typeof one === "string" ? one : String((one as { id?: unknown }).id)));
    throw new UserError(`"${text}" fits ${names.length} sessions: ${names.join(", ")}.`, { next: "tempi list" });
  }
}
