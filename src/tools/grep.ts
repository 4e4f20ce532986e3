import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, type ToolDefinition, textResult } from "../agent/tool.ts";
import { countOf } from "./bounded-lines.ts";
import { compileGlob, type Glob } from "./glob.ts";
import { patternError } from "./grep-errors.ts";
import { GrepRecords } from "./grep-records.ts";
import { GrepResults, lineCharacters } from "./grep-results.ts";
import { type RipgrepEnd, runRipgrep, searchTimeoutMs } from "./ripgrep.ts";
import { previewSearch, type SearchRoot, searchRoot, shownBelow } from "./search-root.ts";
import { maximumBytes } from "./truncate.ts";

const defaultLimit = 100;
const maximumContext = 100;
/** Bytes: one argument of a program may have 128 KB on Linux. */
const maximumPatternBytes = 100 * 1024;

const grepSchema = Type.Object({
  pattern: Type.String({ description: "Regular expression (Rust syntax), or text with literal" }),
  path: Type.Optional(Type.String({ description: "File or folder to search (default: the working folder)" })),
  glob: Type.Optional(
    Type.String({ description: "Only files that fit, such as *.ts or src/**/*.ts; with ! before it, all but these" }),
  ),
  ignoreCase: Type.Optional(Type.Boolean({ description: "Ignore case (default false)" })),
  literal: Type.Optional(Type.Boolean({ description: "Take the pattern as text (default false)" })),
  context: Type.Optional(Type.Integer({ description: "Lines to show around each match (default 0)" })),
  limit: Type.Optional(Type.Integer({ description: `Matching lines to show (default ${defaultLimit})` })),
});

type GrepParameters = Static<typeof grepSchema>;

/** What the page may say about a search beyond its text. */
export interface GrepDetails {
  path: string;
  matches: number;
  truncated: boolean;
}

/** The grep tool: lines of files by regular expression. */
export function createGrepTool(
  timeoutMs = searchTimeoutMs,
  program?: string,
): ToolDefinition<typeof grepSchema, GrepDetails> {
  return defineTool<typeof grepSchema, GrepDetails>({
    name: "grep",
    label: "Grep",
    description: `Search the text of files, line by line: \`path:line: text\`, lines of context as \`path-line- text\`, paths relative to the working folder. Hidden files are searched; .git, what git ignores, links and binary files are not. Shows ${defaultLimit} matching lines or ${maximumBytes / 1024} KB, and ${lineCharacters} characters of a line.`,
    promptSnippet: "Search the text of files by regular expression (leaves out what git ignores)",
    promptGuidelines: ["Use grep, find and ls rather than bash to look around: they never ask a person."],
    parameters: grepSchema,
    effect: "read",
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    preview: ({ path, pattern }, ctx) => previewSearch(path, pattern, ctx),
    execute: (_toolCallId, params, signal, _onUpdate, ctx) =>
      grep(params, { timeoutMs, ...(program ? { program } : {}) }, signal, ctx),
  });
}

export const grepTool = createGrepTool();

async function grep(
  params: GrepParameters,
  run: { timeoutMs: number; program?: string },
  signal: AbortSignal,
  ctx: ToolContext,
) {
  checkPattern(params.pattern);
  const limit = countOf("limit", params.limit, defaultLimit);
  const context = Math.min(maximumContext, countOf("context", params.context, 0, 0));
  const root = await searchRoot(params.path, ctx);
  const glob = root.isFolder && params.glob ? globOf(params.glob) : undefined;
  const results = new GrepResults({ limit, context, shownPath: (path) => shownPath(path, root, glob) });
  const records = new GrepRecords();
  const end = await runRipgrep(
    {
      arguments: ripgrepArguments(params, context, glob, root),
      cwd: root.folder,
      environment: ctx.environment,
      ...run,
      onData: (chunk) => {
        for (const record of records.push(chunk)) if (!results.push(record)) return false;
        return true;
      },
    },
    signal,
  );
  if (end.refusal !== undefined) throw patternError(end.refusal, params.pattern);
  const notes = notesOf(end, results, limit, run.timeoutMs);
  if (results.lines.count === 0) notes.unshift(noneText(params, root));
  const details = { path: root.path, matches: results.matches, truncated: end.kind !== "end" };
  return { ...textResult(results.lines.text(notes)), details };
}

/** The pattern always follows `-e` and the path `--`: neither can be an option. */
function ripgrepArguments(params: GrepParameters, context: number, glob: FileGlob | undefined, root: SearchRoot) {
  const { pattern, ignoreCase = false, literal = false } = params;
  return [
    "--json",
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(literal ? ["--fixed-strings"] : []),
    // `$` fits before CR LF too; but then a pattern must not name the CR.
    ...(/\r|\\r/.test(pattern) ? [] : ["--crlf"]),
    `--context=${context}`,
    ...(glob?.arguments ?? []),
    "-e",
    pattern,
    "--",
    root.argument,
  ];
}

interface FileGlob {
  arguments: string[];
  wanted?: Glob;
}

/**
 * ripgrep's own `--glob` brings back what git ignores when it fits, so it serves only to leave files out. Otherwise
 * files are chosen by name, as a type made for this search, and then by the whole path.
 */
function globOf(text: string): FileGlob {
  if (text.startsWith("!")) return { arguments: [`--glob=${text}`] };
  const wanted = compileGlob(text);
  const names = wanted.names?.map((name) => `--type-add=searched:${name}`) ?? [];
  return { wanted, arguments: names.length > 0 ? [...names, "--type=searched"] : [] };
}

function shownPath(path: Buffer, root: SearchRoot, glob: FileGlob | undefined): string | undefined {
  const name = path.subarray(path[0] === 0x2e && path[1] === 0x2f ? 2 : 0);
  if (glob?.wanted && !glob.wanted.matches(name.toString("utf8"))) return undefined;
  return shownBelow(root, name);
}

function notesOf(end: RipgrepEnd, results: GrepResults, limit: number, timeoutMs: number): string[] {
  const notes: string[] = [];
  if (results.lines.full) {
    notes.push(`${maximumBytes / 1024} KB shown, more matches exist. Use a narrower pattern, path or glob.`);
  } else if (results.more) {
    notes.push(`${limit} matches shown, more exist. Use limit=${limit * 2} or a narrower pattern.`);
  }
  if (results.cut) notes.push(`Lines longer than ${lineCharacters} characters are cut (…).`);
  if (end.kind === "timeout")
    notes.push(`Stopped after ${timeoutMs / 1000} s: there may be more. Use a narrower path.`);
  if (end.unreadable) notes.push("Some files could not be read.");
  return notes;
}

function noneText({ pattern, glob }: GrepParameters, root: SearchRoot): string {
  const files = glob === undefined ? "" : ` in files ${JSON.stringify(glob)}`;
  const ignored = root.isFolder ? " What git ignores is not searched, unless path is inside it." : "";
  return `No match for ${JSON.stringify(pattern)}${files} in ${root.shown}.${ignored}`;
}

/** @throws Error with the reason for the model */
function checkPattern(pattern: string): void {
  if (pattern === "") throw new Error("pattern is empty.");
  if (pattern.includes("\0")) throw new Error("pattern holds a NUL character.");
  if (Buffer.byteLength(pattern) > maximumPatternBytes) throw new Error("pattern is longer than 100 KB.");
}
