import { createHash, randomInt } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../config/home.ts";
import { sessionIdAlphabet } from "../../protocol/session.ts";
import { replaceFile, withFileLock } from "./locked-file.ts";

const lifeMs = 5 * 60_000;
/** 30 letters, 14 places: 68 bits. */
const codeLength = 14;
const wrongTriesAtMost = 10;

interface Stored {
  sha256: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Wrong codes that were tried against this one. */
  wrong: number;
}

/** A code that pairs one device, once. A new code voids the one before. */
export interface PairingCode {
  code: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const fileOf = (home: Home): string => join(home.run, "web-pairing.json");

export function makePairingCode(home: Home, now = Date.now()): PairingCode {
  const code = Array.from({ length: codeLength }, () => sessionIdAlphabet[randomInt(sessionIdAlphabet.length)]).join(
    "",
  );
  const expiresAt = now + lifeMs;
  const file = fileOf(home);
  withFileLock(file, () => replaceFile(file, JSON.stringify({ sha256: digest(code), expiresAt, wrong: 0 })));
  return { code, expiresAt };
}

/** True exactly once, for the right code in its time. Ten wrong tries void it. */
export function takePairingCode(home: Home, code: string, now = Date.now()): boolean {
  const file = fileOf(home);
  return withFileLock(file, () => {
    const stored = read(file);
    if (!stored) return false;
    if (stored.expiresAt <= now) {
      rmSync(file, { force: true });
      return false;
    }
    // Digests are compared, so the time it takes says nothing about the code.
    if (stored.sha256 === digest(code)) {
      rmSync(file);
      return true;
    }
    const wrong = stored.wrong + 1;
    if (wrong >= wrongTriesAtMost) rmSync(file, { force: true });
    else replaceFile(file, JSON.stringify({ ...stored, wrong }));
    return false;
  });
}

const digest = (code: string): string => createHash("sha256").update(code).digest("hex");

function read(file: string): Stored | undefined {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as Partial<Stored>;
    const { sha256, expiresAt, wrong } = value;
    if (typeof sha256 !== "string" || typeof expiresAt !== "number" || typeof wrong !== "number") return undefined;
    return { sha256, expiresAt, wrong };
  } catch {
    return undefined;
  }
}
