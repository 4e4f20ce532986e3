import { randomBytes } from "node:crypto";
import { readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** Folders a person trusted, each with the hash of the content that was trusted. In TEMPI_HOME, never in the folder itself. */
type TrustFile = Record<string, string>;

const fileOf = (home: Home): string => join(home.root, "trust.json");

function read(home: Home): TrustFile {
  try {
    return JSON.parse(readFileSync(fileOf(home), "utf8")) as TrustFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Error(`${fileOf(home)} cannot be read: ${(error as Error).message}`);
  }
}

/** Whether this very content of the folder was trusted: a changed file asks anew. */
export const isTrusted = (home: Home, folder: string, hash: string): boolean => read(home)[real(folder)] === hash;

/** Trusts the folder's content as it is now, or (without hash) takes the trust back. */
export function setTrust(home: Home, folder: string, hash: string | undefined): void {
  const trusted = read(home);
  if (hash === undefined) delete trusted[real(folder)];
  else trusted[real(folder)] = hash;
  const temporary = `${fileOf(home)}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, fileOf(home));
}

/** By its real path: a link to a trusted folder is not another folder, and a `.git` file naming one is not it. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
