import { UsageError } from "./errors.ts";

/** Names of built-in tools, in the order they are shown. `extensions` stands for all tools of extensions. */
export const allTools = ["read", "bash", "edit", "write", "grep", "find", "ls", "extensions"];
/** What need not ask must not be forced through bash; where nothing asks, bash is enough. */
export const toolsOfAuto = ["read", "bash", "edit", "write", "extensions"];

/**
 * Which tools are active: a list of names replaces `base`; `+name` and `-name` change it. Names of extensions' tools are not
 * known here; one that does not exist is told in the session.
 * @throws UsageError for a mix of both ways or a name that no tool can have
 */
export function chooseTools(wanted: readonly string[] | undefined, base: readonly string[]): string[] {
  if (wanted === undefined) return [...base];
  const signed = wanted.filter((name) => /^[+-]/.test(name));
  const bare = wanted.map((name) => name.replace(/^[+-]/, ""));
  const wrong = bare.find((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" cannot be the name of a tool`, `--tools ${allTools.join(",")}`);
  if (signed.length === 0) return [...new Set(wanted)];
  if (signed.length < wanted.length) {
    throw new UsageError(
      "a list of tools has either names or +name and -name, not both",
      "--tools read,grep or --tools +grep,-write",
    );
  }
  const tools = new Set(base);
  for (const name of wanted) {
    if (name.startsWith("+")) tools.add(name.slice(1));
    else tools.delete(name.slice(1));
  }
  return [...tools];
}
