import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, type ToolDefinition, type ToolPreview } from "../agent/tool.ts";
import { runCommand } from "./command-attempt.ts";
import { maximumSpoolBytes } from "./command-follow.ts";
import type { CommandDetails } from "./command-result.ts";
import { visibleText } from "./paths.ts";
import { findProgram } from "./programs.ts";
import { literalCommands } from "./shell-words.ts";
import { maximumBytes, maximumLines, shorten } from "./truncate.ts";

const bashSchema = Type.Object({
  command: Type.String({ description: "Bash command to execute" }),
  timeout: Type.Optional(Type.Number({ description: "Seconds until the command is killed (default: none)" })),
});

type BashParameters = Static<typeof bashSchema>;

/** Seconds. */
const maximumTimeout = 24 * 60 * 60;
/** Bytes: one argument of a program may have 128 KB on Linux. */
const maximumCommandBytes = 120 * 1024;
const summaryCharacters = 120;

/** What a machine may have elsewhere, and what tests make small. */
export interface BashToolOptions {
  /** Absolute paths where bash is looked for, before the search path. */
  bashPaths?: readonly string[];
  /** The same for cat, which writes the output file. */
  catPaths?: readonly string[];
  /** Bytes of output at which a command is killed. */
  spoolBytes?: number;
}

/** The bash tool. A command runs detached from the worker: see `runCommand`. */
export function createBashTool(options: BashToolOptions = {}): ToolDefinition<typeof bashSchema, CommandDetails> {
  const {
    bashPaths = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"],
    catPaths = ["/bin/cat", "/usr/bin/cat"],
    spoolBytes = maximumSpoolBytes,
  } = options;
  return defineTool<typeof bashSchema, CommandDetails>({
    name: "bash",
    label: "Bash",
    description: `Execute a bash command in the working folder; stdout and stderr come back together. stdin is empty, and nothing but files is kept from one call to the next. Shows the last ${maximumLines} lines or ${maximumBytes / 1024} KB; the result names a file with the whole output. Returns when the shell ends: background processes go on. Optional timeout in seconds, up to 24 hours.`,
    promptSnippet: "Run commands (builds, tests, git, package managers)",
    promptGuidelines: [
      "Give bash commands that may hang a timeout.",
      'When a command was "interrupted, may have run", check its effects before running it again.',
    ],
    parameters: bashSchema,
    effect: "external",
    reattach: true,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    preview: previewBash,
    execute: (_toolCallId, params, signal, onUpdate, ctx) => {
      checkParameters(params);
      return runCommand({ ...params, bashPaths, catPaths, spoolBytes }, signal, onUpdate, ctx);
    },
  });
}

export const bashTool = createBashTool();

async function previewBash({ command, timeout }: BashParameters, ctx: ToolContext): Promise<ToolPreview> {
  checkParameters({ command, timeout });
  const searchPath = ctx.environment.PATH ?? "";
  const programs = [...new Set((literalCommands(command) ?? []).map(([name]) => name!))];
  const resolved = await Promise.all(programs.map((name) => findProgram(name, searchPath, ctx.cwd)));
  return {
    summary: shorten(visibleText(command.trim().replace(/\s+/g, " ")), summaryCharacters),
    display: [{ kind: "command", command, cwd: ctx.cwd }],
    paths: [],
    digestParts: [`PATH ${searchPath}`, ...resolved.map((program) => `program ${program ?? "none"}`)],
  };
}

/** @throws Error with the reason for the model */
function checkParameters({ command, timeout }: BashParameters): void {
  if (command.trim() === "") throw new Error("command is empty.");
  if (command.includes("\0")) throw new Error("command holds a NUL character.");
  if (Buffer.byteLength(command) > maximumCommandBytes) {
    throw new Error("command is longer than 120 KB. Write it to a file with write and run that.");
  }
  if (timeout === undefined) return;
  if (!Number.isFinite(timeout) || timeout <= 0 || timeout > maximumTimeout) {
    throw new Error(`timeout is ${timeout}; it must be above 0 and at most ${maximumTimeout} seconds (24 hours).`);
  }
}
