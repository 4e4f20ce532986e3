import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, type ToolDefinition, textResult } from "../agent/tool.ts";
import { BoundedLines, countOf } from "./bounded-lines.ts";
import { compileGlob, type Glob } from "./glob.ts";
import { type RipgrepEnd, runRipgrep, searchTimeoutMs } from "./ripgrep.ts";
import { previewSearch, type SearchRoot, searchFolder, shownBelow } from "./search-root.ts";
import { maximumBytes } from "./truncate.ts";

const defaultLimit = 1000;

const findSchema = Type.Object({
  pattern: Type.String({
    description:
      "Glob such as *.ts, src/**/*.test.ts or *.{png,jpg}. Without a slash it fits names in any folder, otherwise the path from the searched folder; a / at its end fits folders only",
  }),
  path: Type.Optional(Type.String({ description: "Folder to search (default: the working folder)" })),
  limit: Type.Optional(Type.Integer({ description: `Results to show (default ${defaultLimit})` })),
});

type FindParameters = Static<typeof findSchema>;

/** What the page may say about a search beyond its text. */
export interface FindDetails {
  path: string;
  results: number;
  truncated: boolean;
}

/** The find tool: names of files, and of the folders they are in, by glob. */
export function createFindTool(
  timeoutMs = searchTimeoutMs,
  program?: string,
): ToolDefinition<typeof findSchema, FindDetails> {
  return defineTool<typeof findSchema, FindDetails>({
    name: "find",
    label: "Find",
    description: `Find files and folders by glob. Paths come sorted, relative to the working folder, with \`/\` after folders. Hidden files are found; .git, what git ignores, empty folders and links are not. Shows ${defaultLimit} results or ${maximumBytes / 1024} KB.`,
    promptSnippet: "Find files by glob (leaves out what git ignores)",
    promptGuidelines: ["Use grep, find and ls rather than bash to look around: they never ask a person."],
    parameters: findSchema,
    effect: "read",
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    preview: ({ path, pattern }, ctx) => previewSearch(path, pattern, ctx),
    execute: (_toolCallId, params, signal, _onUpdate, ctx) =>
      find(params, { timeoutMs, ...(program ? { program } : {}) }, signal, ctx),
  });
}

export const findTool = createFindTool();

async function find(
  params: FindParameters,
  run: { timeoutMs: number; program?: string },
  signal: AbortSignal,
  ctx: ToolContext,
) {
  const limit = countOf("limit", params.limit, defaultLimit);
  const glob = compileGlob(params.pattern);
  const root = await searchFolder(params.path, "Give the folder it is in.", ctx);
  const results = new FindResults(root, glob, limit);
  const end = await runRipgrep(
    {
      arguments: ["--files", "--null", "--", root.argument],
      cwd: root.folder,
      environment: ctx.environment,
      ...run,
      onData: (chunk) => results.push(chunk),
    },
    signal,
  );
  const notes = notesOf(end, results, limit, run.timeoutMs);
  const none = `No file or folder fits ${JSON.stringify(params.pattern)} in ${root.shown}. What git ignores is not searched, unless path is inside it.`;
  const text =
    results.lines.count === 0 && !results.more
      ? [none, ...notes.map((note) => `[${note}]`)].join("\n\n")
      : results.lines.text(notes);
  const details = { path: root.path, results: results.lines.count, truncated: end.kind !== "end" };
  return { ...textResult(text), details };
}

function notesOf(end: RipgrepEnd, results: FindResults, limit: number, timeoutMs: number): string[] {
  const notes: string[] = [];
  if (results.lines.full) notes.push(`${maximumBytes / 1024} KB shown, more exist. Use a narrower pattern or path.`);
  else if (results.more)
    notes.push(`${limit} results shown, more exist. Use limit=${limit * 2} or a narrower pattern.`);
  if (end.kind === "timeout") notes.push(`Stopped after ${timeoutMs / 1000} s: there may be more.`);
  if (end.unreadable) notes.push("Some folders could not be read.");
  return notes;
}

/** Takes paths that end in NUL, sorted by folder, and keeps those that fit. */
class FindResults {
  readonly lines = new BoundedLines();
  /** Set when something that fits was left out. */
  more = false;
  private rest = Buffer.alloc(0);
  private readonly folders = new Set<string>();
  private readonly root: SearchRoot;
  private readonly glob: Glob;
  private readonly limit: number;

  constructor(root: SearchRoot, glob: Glob, limit: number) {
    this.root = root;
    this.glob = glob;
    this.limit = limit;
  }

  /** False when no more are wanted. */
  push(chunk: Buffer): boolean {
    const all = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let start = 0;
    for (let end = all.indexOf(0); end !== -1; end = all.indexOf(0, start)) {
      if (!this.addFile(all.subarray(start, end))) return false;
      start = end + 1;
    }
    this.rest = Buffer.from(all.subarray(start));
    return true;
  }

  private addFile(path: Buffer): boolean {
    const name = path.subarray(path[0] === 0x2e && path[1] === 0x2f ? 2 : 0);
    // The tool knows folders only from the files in them; sorted as they come, a folder stands before its files.
    for (let slash = name.indexOf("/"); slash !== -1; slash = name.indexOf("/", slash + 1)) {
      const folder = name.subarray(0, slash);
      const key = folder.toString("latin1");
      if (this.folders.has(key)) continue;
      this.folders.add(key);
      if (!this.add(folder, "/")) return false;
    }
    return this.glob.foldersOnly || this.add(name, "");
  }

  private add(name: Buffer, ending: "/" | ""): boolean {
    if (!this.glob.matches(name.toString("utf8"))) return true;
    this.more = this.lines.count >= this.limit || !this.lines.add(shownBelow(this.root, name) + ending);
    return !this.more;
  }
}
