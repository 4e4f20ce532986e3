import { createHash } from "node:crypto";
import { scriptParts } from "../src/policy/scripts.ts";
import { type CheckedCall, sorted } from "./checked-call.ts";
import type { Toolset } from "./services.ts";

/**
 * What "allow for this session" would store: this exact command in this folder with the scripts it names as they
 * are, edits of this file, else this tool with these very arguments. The key is a hash, because every model input names all of them; of 128
 * bits, so that nobody can prepare a harmless command and another one with the same key.
 */
export async function rememberOf(toolset: Toolset, { tool, args }: CheckedCall, lockKeys: string[], cwd: string) {
  const keyOf = (...parts: unknown[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  const builtIn = !toolset.extensionTools.includes(tool.name);
  if (builtIn && tool.name === "bash") {
    const scripts = typeof args.command === "string" ? await scriptParts(args.command, cwd) : [];
    return {
      rememberKey: keyOf(tool.name, args.command, cwd, ...scripts),
      rememberText: `${tool.name}: ${args.command}`,
    };
  }
  const [path] = lockKeys;
  if (builtIn && path) return { rememberKey: keyOf(tool.name, path), rememberText: `${tool.name}: ${path}` };
  return {
    rememberKey: keyOf(tool.name, sorted(args), lockKeys, cwd),
    rememberText: `${tool.name} with exactly these arguments`,
  };
}
