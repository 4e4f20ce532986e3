import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, type ToolPreview } from "../agent/tool.ts";
import { changeFile, type PlannedChange } from "./change-file.ts";
import { changePreview } from "./change-preview.ts";
import { type ChangeDetails, describeChange } from "./diffs.ts";
import { isObject } from "./edit-arguments.ts";
import { withFileErrors } from "./file-errors.ts";
import { assertWritable, type FileState, readFileState } from "./file-state.ts";
import { displayPath, resolveKey } from "./paths.ts";
import { decodeText } from "./text-file.ts";
import { formatSize } from "./truncate.ts";

/** Bytes of UTF-8 in one call. */
const maximumContentBytes = 10 * 1024 * 1024;

const writeSchema = Type.Object({
  path: Type.String({ description: "File to write, relative to the working folder or absolute" }),
  content: Type.String({ description: "The whole text of the file" }),
});

type WriteParameters = Static<typeof writeSchema>;

export const writeTool = defineTool<typeof writeSchema, ChangeDetails>({
  name: "write",
  label: "Write",
  description:
    "Write a whole text file: creates it and missing folders, or replaces what is there. At most 10 MB. Symbolic links are followed; the mode of an existing file is kept.",
  promptSnippet: "Create or replace whole files",
  promptGuidelines: ["Use write for new files and complete rewrites only; for changes in a file use edit."],
  parameters: writeSchema,
  effect: "idempotent",
  constrainedSampling: { type: "json_schema", strict: "prefer" },
  prepareArguments: contentAsText,
  preview: previewWrite,
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    const path = await resolveKey(params.path, ctx.cwd);
    const shown = await displayPath(path, ctx.cwd);
    return changeFile(ctx, { path, shown, signal }, (before) => planWrite(params, before, shown));
  },
});

async function previewWrite(params: WriteParameters, ctx: ToolContext): Promise<ToolPreview> {
  const path = await resolveKey(params.path, ctx.cwd);
  const shown = await displayPath(path, ctx.cwd);
  return withFileErrors(shown, async () => {
    const before = await readFileState(path);
    const { details } = planWrite(params, before, shown);
    await assertWritable(path, before);
    return changePreview(path, shown, before, details);
  });
}

function planWrite({ content: text }: WriteParameters, before: FileState, shown: string): PlannedChange {
  const content = Buffer.from(text);
  if (content.length > maximumContentBytes) {
    throw new Error(`The content is ${formatSize(content.length)}; write takes at most 10 MB.`);
  }
  const details = describeChange(shown, textBefore(before), content.toString("utf8"));
  const verb = before.exists ? "Replaced" : "Created";
  return { content, text: `${verb} ${shown} (${formatSize(content.length)}).`, details };
}

/** The old text for the diff; a file that is no text, or too large to compare, counts as empty. */
function textBefore(before: FileState): string {
  if (!before.exists || !before.content) return "";
  try {
    const { text } = decodeText(before.content, "");
    return text.includes("\0") ? "" : text;
  } catch {
    return "";
  }
}

/** Models send a JSON file's content as the JSON value itself: it is written as text. Everything else is left alone. */
function contentAsText(args: unknown): unknown {
  if (!isObject(args)) return args;
  const { content } = args;
  if (typeof content !== "object" || content === null) return args;
  return { ...args, content: `${JSON.stringify(content, null, 2)}\n` };
}
