import type { Dirent } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, textResult } from "../agent/tool.ts";
import { BoundedLines, countOf } from "./bounded-lines.ts";
import { withFileErrors } from "./file-errors.ts";
import { visibleText } from "./paths.ts";
import { previewSearch, type SearchRoot, searchFolder, visibleName } from "./search-root.ts";
import { maximumBytes } from "./truncate.ts";

const defaultLimit = 500;

const lsSchema = Type.Object({
  path: Type.Optional(Type.String({ description: "Folder to list (default: the working folder)" })),
  limit: Type.Optional(Type.Integer({ description: `Entries to show (default ${defaultLimit})` })),
});

type LsParameters = Static<typeof lsSchema>;

/** What the page may say about a listing beyond its text. */
export interface LsDetails {
  path: string;
  /** In the folder, shown or not. */
  entries: number;
  truncated: boolean;
}

export const lsTool = defineTool<typeof lsSchema, LsDetails>({
  name: "ls",
  label: "List",
  description: `List a folder: names sorted ignoring case, hidden ones too, \`/\` after folders, \`name -> target\` for links. Shows ${defaultLimit} entries or ${maximumBytes / 1024} KB.`,
  promptSnippet: "List the entries of a folder",
  promptGuidelines: ["Use grep, find and ls rather than bash to look around: they never ask a person."],
  parameters: lsSchema,
  effect: "read",
  constrainedSampling: { type: "json_schema", strict: "prefer" },
  preview: ({ path }, ctx) => previewSearch(path, undefined, ctx),
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    signal.throwIfAborted();
    return list(params, ctx);
  },
});

async function list(params: LsParameters, ctx: ToolContext) {
  const limit = countOf("limit", params.limit, defaultLimit);
  const root = await searchFolder(params.path, "Read it with read.", ctx);
  const entries = await withFileErrors(root.shown, () =>
    readdir(root.path, { encoding: "buffer", withFileTypes: true }),
  );
  const sorted = entries.map((entry) => ({ entry, name: visibleName(entry.name) })).sort(byName);
  const lines = new BoundedLines();
  for (const { entry, name } of sorted.slice(0, limit)) {
    if (!lines.add(await describe(entry, name, root))) break;
  }
  const left = sorted.length - lines.count;
  const hint = lines.full ? `the limit is ${maximumBytes / 1024} KB` : `use limit=${limit * 2} for more`;
  const notes = left > 0 ? [`${lines.count} of ${sorted.length} entries shown; ${hint}.`] : [];
  const text = sorted.length === 0 ? `[${root.shown} is an empty folder.]` : lines.text(notes);
  return { ...textResult(text), details: { path: root.path, entries: sorted.length, truncated: left > 0 } };
}

async function describe(entry: Dirent<Buffer>, name: string, root: SearchRoot): Promise<string> {
  if (entry.isDirectory()) return `${name}/`;
  if (!entry.isSymbolicLink()) return name;
  const path = Buffer.concat([Buffer.from(join(root.path, "/")), entry.name]);
  const target = await readlink(path).catch(() => "?");
  const ending = await stat(path).then(
    (stats) => (stats.isDirectory() && !target.endsWith("/") ? "/" : ""),
    () => " (missing)",
  );
  return `${name} -> ${visibleText(target)}${ending}`;
}

/** By characters, not by the machine's language: the order must be the same everywhere. */
function byName(a: { name: string }, b: { name: string }): number {
  return compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
