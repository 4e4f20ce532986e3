import { constants, open } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { textOf } from "../agent/messages.ts";
import { type AgentToolResult, defineTool, type ToolContext, type ToolPreview, textResult } from "../agent/tool.ts";
import { withFileErrors } from "./file-errors.ts";
import { imageTypeOf } from "./image-type.ts";
import { displayPath, resolveKey } from "./paths.ts";
import { readImage } from "./read-image.ts";
import { type ReadLines, readLines } from "./read-lines.ts";
import { encodingHint } from "./text-file.ts";
import { formatSize, harmlessText, maximumBytes, maximumLines } from "./truncate.ts";

const readSchema = Type.Object({
  path: Type.String({ description: "File to read, relative to the working folder or absolute" }),
  offset: Type.Optional(Type.Integer({ description: "Line to start at, from 1 (default 1)" })),
  limit: Type.Optional(Type.Integer({ description: `Lines to read (default and at most ${maximumLines})` })),
});

type ReadParameters = Static<typeof readSchema>;

/** What the page may say about a read beyond its text. */
export interface ReadDetails {
  path: string;
  /** 1-based; absent for images. */
  firstLine?: number;
  lastLine?: number;
  totalLines?: number;
  truncated: boolean;
}

const headBytes = 8 * 1024;

export const readTool = defineTool<typeof readSchema, ReadDetails>({
  name: "read",
  label: "Read",
  description: `Read a file: text, or an image (png, jpg, gif, webp, bmp; made smaller to 2000 × 2000 and 150 KB). Shows at most ${maximumLines} lines or ${maximumBytes / 1024} KB, whole lines, from the start or from line \`offset\`; continue with a larger offset. Works on files of any size.`,
  promptSnippet: "Read file contents",
  promptGuidelines: ["Use read to look at files instead of cat or sed."],
  parameters: readSchema,
  effect: "read",
  constrainedSampling: { type: "json_schema", strict: "prefer" },
  preview: previewRead,
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    signal.throwIfAborted();
    const path = await resolveKey(params.path, ctx.cwd);
    const shown = await displayPath(path, ctx.cwd);
    return withFileErrors(shown, () => readFileAt(path, shown, params, signal));
  },
});

/** Does not look into the file: an earlier call of the same answer may be about to create it. */
async function previewRead(params: ReadParameters, ctx: ToolContext): Promise<ToolPreview> {
  const path = await resolveKey(params.path, ctx.cwd);
  const shown = await displayPath(path, ctx.cwd);
  const range = params.offset === undefined && params.limit === undefined ? "" : `:${rangeText(params)}`;
  return {
    summary: `${shown}${range}`,
    display: [{ kind: "text", text: path }],
    paths: [{ path, access: "read" }],
    digestParts: [],
  };
}

async function readFileAt(
  path: string,
  shown: string,
  params: ReadParameters,
  signal: AbortSignal,
): Promise<AgentToolResult<ReadDetails>> {
  const { offset, limit } = rangeOf(params);
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Error(`${shown} is a folder, not a file. List it with ls or bash.`);
    if (!stats.isFile()) throw new Error(`${shown} is a device, pipe or socket, not a regular file.`);
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await file.read(head, 0, headBytes, 0);
    const start = head.subarray(0, bytesRead);
    const imageType = imageTypeOf(start);
    if (imageType) {
      const content = await readImage(file, { size: stats.size, mimeType: imageType, shown }, signal);
      return { content, details: { path, truncated: false } };
    }
    if (start.includes(0)) {
      throw new Error(
        `${shown} is a binary file${encodingHint(start)} (${formatSize(stats.size)}); read shows text and images. Look at it with a program through bash, such as file or xxd.`,
      );
    }
    const lines = await readLines(file, { offset, limit }, signal);
    return withNote(describeLines(lines, offset, limit, path, shown), correctionsOf(params, { offset, limit }));
  } finally {
    await file.close();
  }
}

function describeLines(
  read: ReadLines,
  offset: number,
  limit: number,
  path: string,
  shown: string,
): AgentToolResult<ReadDetails> {
  const total = read.totalLines;
  if (read.longLineBytes !== undefined) {
    const command = `sed -n ${offset}p ${shellQuoted(path)} | head -c ${maximumBytes}`;
    const text = `[Line ${offset} is ${formatSize(read.longLineBytes)}, more than the ${maximumBytes / 1024} KB that read shows. Look at its start with bash: ${command}]`;
    return { ...textResult(text), details: details(read, path, offset) };
  }
  if (total === 0) return { ...textResult("[The file is empty.]"), details: details(read, path, offset) };
  if (read.lines.length === 0) {
    throw new Error(`Offset ${offset} is beyond the end of ${shown}, which has ${total} ${plural(total ?? 0)}.`);
  }
  const last = offset + read.lines.length - 1;
  const notes: string[] = [];
  if (read.stop !== "end") {
    const whole = total === undefined ? "a very large file" : `${total}`;
    const left = total === undefined ? "More lines follow" : `${total - last} more ${plural(total - last)} in the file`;
    const chosen = read.stop === "lines" && limit < maximumLines;
    const why = read.stop === "bytes" ? ` (limit ${maximumBytes / 1024} KB)` : "";
    const what = chosen ? `${left}.` : `Lines ${offset}-${last} of ${whole}${why}.`;
    notes.push(`[${what} Continue with offset=${last + 1}.]`);
  }
  if (read.replaced) notes.push("[The file is not UTF-8: bytes that cannot be shown are replaced by \uFFFD.]");
  const body = harmlessText(read.lines.join("\n").replace(/^\uFEFF/, ""));
  return { ...textResult([body, ...notes].join("\n\n")), details: details(read, path, offset) };
}

const details = (read: ReadLines, path: string, offset: number): ReadDetails => ({
  path,
  firstLine: offset,
  lastLine: offset + read.lines.length - 1,
  ...(read.totalLines === undefined ? {} : { totalLines: read.totalLines }),
  truncated: read.stop !== "end",
});

/** Zero and negatives mean the first line, or one line. */
function rangeOf({ offset = 1, limit = maximumLines }: ReadParameters): { offset: number; limit: number } {
  if (!Number.isFinite(offset)) throw new Error("offset must be a finite number.");
  if (!Number.isFinite(limit)) throw new Error("limit must be a finite number.");
  return { offset: Math.max(1, Math.floor(offset)), limit: Math.min(maximumLines, Math.max(1, Math.floor(limit))) };
}

/** Of lines there is one block of text. */
const withNote = (result: AgentToolResult<ReadDetails>, note: string): AgentToolResult<ReadDetails> =>
  note === "" ? result : { ...result, content: textResult(`${textOf(result.content)}\n\n${note}`).content };

/** What was not taken as it was given: a model that counts from 0 must not think that it saw other lines. */
function correctionsOf(given: ReadParameters, used: { offset: number; limit: number }): string {
  const notes = (["offset", "limit"] as const).flatMap((name) =>
    (given[name] ?? 1) < 1 ? [`${name} ${given[name]} was taken as ${used[name]}`] : [],
  );
  return notes.length === 0 ? "" : `[${notes.join("; ")}.]`;
}

function rangeText(params: ReadParameters): string {
  const { offset, limit } = rangeOf(params);
  return params.limit === undefined ? `${offset}-` : `${offset}-${offset + limit - 1}`;
}

const plural = (count: number): string => (count === 1 ? "line" : "lines");

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
