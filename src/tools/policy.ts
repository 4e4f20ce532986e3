import { homedir } from "node:os";
import { join } from "node:path";
import type { ApprovalLevel, ApprovalReason } from "../agent/approval.ts";
import type { ToolEffect, ToolPreview } from "../agent/tool.ts";
import { isInside, realPathOf, visibleText } from "./paths.ts";
import { isProtected } from "./protected-paths.ts";
import { isReadOnlyCommand } from "./read-only-command.ts";

export interface PolicyInput {
  tool: { name: string; effect: ToolEffect };
  /** An extension's tool is never one of those that need not ask, whatever it is called. */
  ofExtension?: boolean;
  level: ApprovalLevel;
  preview: ToolPreview;
  /** The line, for bash. */
  command?: string;
  /** Absolute path of the workspace. */
  cwd: string;
  /** Folder for temporary files, where edits need no more leave than in the workspace. */
  tempFolder: string;
  /** tempi's own files and folders: configuration, state. */
  tempiFolders: readonly string[];
  /** PATH of the command, so that a planted `ls` is not taken for the real one. */
  searchPath?: string;
}

export type PolicyDecision = { kind: "allow" } | { kind: "ask"; reason: ApprovalReason; detail?: string };

/** Tools that never ask, by name: a tool's own claim to be harmless does not count. */
const readTools = new Set(["read", "grep", "find", "ls"]);
const editTools = new Set(["edit", "write"]);

/** Whether a call may run or a person is asked first, by the session's approval level. */
export async function decideByPolicy(input: PolicyInput): Promise<PolicyDecision> {
  const { tool, level, command } = input;
  if (readTools.has(tool.name) && tool.effect === "read" && !input.ofExtension) return { kind: "allow" };
  const file = await decideByFiles(input);
  if (file) return file;
  if (level === "auto") return { kind: "allow" };
  if (input.ofExtension) return { kind: "ask", reason: "level" };
  if (tool.name === "bash") {
    const readOnly = command !== undefined && (await isReadOnly(command, input));
    return readOnly ? { kind: "allow" } : { kind: "ask", reason: "not-read-only" };
  }
  if (level === "edits" && editTools.has(tool.name)) return { kind: "allow" };
  return { kind: "ask", reason: "level" };
}

/** Files outside the workspace and protected ones ask at every level. */
async function decideByFiles(input: PolicyInput): Promise<PolicyDecision | undefined> {
  const { preview, cwd, tempFolder, tempiFolders } = input;
  const written = preview.paths.filter(({ access }) => access === "write").map(({ path }) => path);
  const homeFolders = [...tempiFolders, join(homedir(), ".ssh")];
  for (const path of written) {
    if (await isProtected(path, cwd, homeFolders)) {
      return { kind: "ask", reason: "protected-file", detail: visibleText(path) };
    }
  }
  const allowed = [await realPathOf(cwd), await realPathOf(tempFolder)];
  for (const path of written) {
    const real = await realPathOf(path);
    if (!allowed.some((folder) => isInside(real, folder))) {
      return { kind: "ask", reason: "outside-workspace", detail: visibleText(real) };
    }
  }
  return undefined;
}

const isReadOnly = (command: string, { cwd, tempFolder, searchPath }: PolicyInput): Promise<boolean> =>
  isReadOnlyCommand(command, {
    cwd,
    writableFolders: [tempFolder],
    ...(searchPath === undefined ? {} : { searchPath }),
  });
