import type { RuleTable } from "./schema.ts";

const fileTools = new Set(["read", "edit", "write", "grep", "find", "ls", "*"]);

/** What is wrong with a rule beyond the types of its keys, and at which key. */
export function ruleFault(rule: RuleTable): { key: keyof RuleTable; text: string } | undefined {
  const { decision, tool, command, path, deadline } = rule;
  if (command !== undefined && path !== undefined) return { key: "path", text: "cannot stand beside command" };
  if (command !== undefined) {
    if (command.trim() === "") return { key: "command", text: "is empty" };
    if (tool !== "bash") return { key: "command", text: `counts only with tool = "bash", not "${tool}"` };
  }
  if (path !== undefined) {
    if (path.trim() === "") return { key: "path", text: "is empty" };
    if (!fileTools.has(tool)) {
      const names = [...fileTools].join(", ");
      return { key: "path", text: `counts only with a tool for files (${names}), not "${tool}"` };
    }
    if (path.split("/").includes("..")) return { key: "path", text: 'holds ".."; write an absolute path' };
  }
  if (deadline !== undefined && decision !== "ask")
    return { key: "deadline", text: 'counts only with decision = "ask"' };
  const examples = [...(rule.match ?? []), ...(rule.not_match ?? [])];
  if (examples.length > 0 && command === undefined && path === undefined) {
    return { key: rule.match ? "match" : "not_match", text: "needs a command or a path to be an example of" };
  }
  return undefined;
}
