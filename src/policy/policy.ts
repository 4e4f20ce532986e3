import { homedir } from "node:os";
import { join } from "node:path";
import type { ApprovalLevel, ApprovalReason } from "../agent/approval.ts";
import type { RuleSet } from "../agent/rule.ts";
import type { ToolEffect, ToolPreview } from "../agent/tool.ts";
import { isInside, realPathOf, visibleText } from "../tools/paths.ts";
import { judge, type Verdict } from "./judge.ts";
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
  rules?: Pick<RuleSet, "rules" | "repository" | "fault">;
  /** When the session began, milliseconds since 1970: what a script was then is what a rule allows. */
  startedAt?: number;
}

/** `deny`: it must not run; `text` is what the model reads. */
export type PolicyDecision =
  | { kind: "allow" }
  | { kind: "ask"; reason: ApprovalReason; detail?: string; deadlineMs?: number }
  | { kind: "deny"; text: string };

/** Tools that never ask, by name: a tool's own claim to be harmless does not count. */
const readTools = new Set(["read", "grep", "find", "ls"]);
const editTools = new Set(["edit", "write"]);

/**
 * Whether a call may run, a person is asked first, or it is refused. Rules that deny or ask come first, at every level; then
 * protected files and those outside, rules that allow, and the session's approval level.
 */
export async function decideByPolicy(input: PolicyInput): Promise<PolicyDecision> {
  const verdict = await verdictOf(input);
  if (verdict.kind === "deny") return { kind: "deny", text: deniedByRule(verdict.text) };
  const guarded = await decideByProtection(input);
  if (guarded) return withDeadline(guarded, verdict);
  if (verdict.kind === "ask") return withDeadline({ kind: "ask", reason: "rule", detail: verdict.text }, verdict);
  if (isReadTool(input)) return { kind: "allow" };
  const { fault } = input.rules ?? {};
  if (fault !== undefined && !(await isReadOnly(input))) {
    return { kind: "ask", reason: "rule", detail: `the rules cannot be read: ${fault}`.slice(0, 500) };
  }
  if (!(verdict.kind === "allow" && verdict.outside)) {
    const outside = await decideByPlace(input);
    if (outside) return outside;
  }
  if (verdict.kind === "allow") return { kind: "allow" };
  const byLevel = await decideByLevel(input);
  if (byLevel.kind !== "ask" || verdict.kind !== "changed") return byLevel;
  return { kind: "ask", reason: "changed-script", detail: verdict.path };
}

const deniedByRule = (text: string): string =>
  `A rule of the user denies this: ${text}. Do not do it another way; go on without it or say what you need.`;

async function verdictOf({ rules, ...input }: PolicyInput): Promise<Verdict> {
  if (!rules) return { kind: "none" };
  return await judge(rules.rules, {
    tool: input.tool.name,
    ofExtension: input.ofExtension ?? false,
    paths: input.preview.paths,
    repository: rules.repository,
    protectedFolders: protectedFolders(input),
    ...(input.command === undefined ? {} : { command: input.command }),
    ...(input.startedAt === undefined ? {} : { startedAt: input.startedAt }),
    ...placeOf(input),
  });
}

type Asks = Extract<PolicyDecision, { kind: "ask" }>;

const withDeadline = (decision: Asks, verdict: Verdict): Asks =>
  verdict.kind === "ask" && verdict.deadlineMs !== undefined
    ? { ...decision, deadlineMs: verdict.deadlineMs }
    : decision;

const isReadTool = ({ tool, ofExtension }: PolicyInput): boolean =>
  readTools.has(tool.name) && tool.effect === "read" && !ofExtension;

const writtenPaths = ({ preview }: PolicyInput): string[] =>
  preview.paths.filter(({ access }) => access === "write").map(({ path }) => path);

const protectedFolders = ({ tempiFolders }: Pick<PolicyInput, "tempiFolders">): string[] => [
  ...tempiFolders,
  join(homedir(), ".ssh"),
];

/** Protected files ask at every level, whatever a rule allows. */
async function decideByProtection(input: PolicyInput): Promise<Asks | undefined> {
  const homeFolders = protectedFolders(input);
  for (const path of writtenPaths(input)) {
    if (await isProtected(path, input.cwd, homeFolders)) {
      return { kind: "ask", reason: "protected-file", detail: visibleText(path) };
    }
  }
  return undefined;
}

/** Files outside the workspace ask at every level. */
async function decideByPlace(input: PolicyInput): Promise<Asks | undefined> {
  const folders = [await realPathOf(input.cwd), await realPathOf(input.tempFolder)];
  for (const path of writtenPaths(input)) {
    const real = await realPathOf(path);
    if (!folders.some((folder) => isInside(real, folder))) {
      return { kind: "ask", reason: "outside-workspace", detail: visibleText(real) };
    }
  }
  return undefined;
}

async function decideByLevel(input: PolicyInput): Promise<PolicyDecision> {
  const { tool, level } = input;
  if (level === "auto") return { kind: "allow" };
  if (input.ofExtension) return { kind: "ask", reason: "level" };
  if (tool.name === "bash") {
    return (await isReadOnly(input)) ? { kind: "allow" } : { kind: "ask", reason: "not-read-only" };
  }
  if (level === "edits" && editTools.has(tool.name)) return { kind: "allow" };
  return { kind: "ask", reason: "level" };
}

async function isReadOnly(input: PolicyInput): Promise<boolean> {
  if (input.tool.name !== "bash" || input.ofExtension || input.command === undefined) return false;
  return await isReadOnlyCommand(input.command, placeOf(input));
}

const placeOf = ({ cwd, tempFolder, searchPath }: Pick<PolicyInput, "cwd" | "tempFolder" | "searchPath">) => ({
  cwd,
  writableFolders: [tempFolder],
  ...(searchPath === undefined ? {} : { searchPath }),
});
