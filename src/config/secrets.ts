import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError } from "./errors.ts";
import type { ConfigFile } from "./schema.ts";

/** Prefixes that providers and forges give their keys. */
const knownPrefix = /^(sk-|sk_|xai-|gsk_|pk-|rk-|AIza|ghp_|github_pat_|hf_|key-|Bearer\s)[\w.-]{12,}/;
/** Keys under which people write secrets by habit. */
const secretName = /(^|_)(api_?key|token|secret|password)$/i;

/** Whether a text looks like a key itself and not like the name of one. */
function looksLikeSecret(value: string): boolean {
  const text = value.trim();
  if (knownPrefix.test(text)) return true;
  // Long, without the separators of paths, URLs and commands, and mixed as random text is.
  return /^[A-Za-z0-9_+=-]{32,}$/.test(text) && /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

/** Paths of all values in a parsed configuration that look like secrets. */
export function secretPathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value === "string") {
    // `key = "..."` of a provider or model can only be the key itself: its proper form is a table.
    const named =
      secretName.test(path.at(-1) ?? "") || (/^(providers|models)$/.test(path[0] ?? "") && path.at(-1) === "key");
    return looksLikeSecret(value) || (named && value !== "") ? [path] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretPathsIn(inner, [...path, key]));
}

/** Absolute path of a file named in configuration: `~/` is the home folder, relative ones start at the file's folder. */
export function configuredPath(path: string, configFile: string): string {
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? path : join(dirname(configFile), path);
}

/**
 * Checks who may read and who owns the configuration and the key files it names. Returns warnings (a key file that others may
 * read); throws ConfigError when a file belongs to another user, who could then name commands that run as you.
 */
export function checkFileOwners(config: ConfigFile, configFile: string): string[] {
  const warnings: string[] = [];
  ownedByUs(configFile);
  for (const [name, { key }] of [...Object.entries(config.providers ?? {}), ...Object.entries(config.models ?? {})]) {
    if (!key || !("file" in key)) continue;
    const file = configuredPath(key.file, configFile);
    const mode = ownedByUs(file);
    if (mode !== undefined && (mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0");
      warnings.push(`the key file of ${name}, ${file}, is readable by others (${octal}). Next: chmod 600 ${file}`);
    }
  }
  return warnings;
}

function ownedByUs(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const user = process.getuid?.();
  if (user !== undefined && stat.uid !== user && stat.uid !== 0) {
    throw new ConfigError(`${file} belongs to another user (uid ${stat.uid})`, `sudo chown "$(id -un)" ${file}`);
  }
  return stat.mode;
}
