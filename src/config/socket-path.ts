import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { ConfigError } from "./errors.ts";
import type { Home } from "./home.ts";

/** Unix socket paths longer than about 104 bytes are refused by the system. */
const longestPath = 100;

/**
 * Path of a Unix socket of this home; in a folder of ours under the temporary folder where the home's own path is too long.
 * @throws ConfigError when that folder is a link, or another user's, or open to others: everybody can make one of that name
 */
export function socketPathOf(home: Home, name: string): string {
  const inside = join(home.run, name);
  if (Buffer.byteLength(inside) <= longestPath) return inside;
  const folder = join(tmpdir(), `tempi-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== userInfo().uid || (stat.mode & 0o077) !== 0) {
    throw new ConfigError(
      `${folder} is not a folder of yours alone`,
      `rm -r ${folder}, or set TEMPI_HOME to a shorter path`,
    );
  }
  return join(folder, `${createHash("sha256").update(home.root).digest("hex").slice(0, 12)}-${name}`);
}
