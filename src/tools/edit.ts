import { type Static, Type } from "@sinclair/typebox";
import { defineTool, type ToolContext, type ToolPreview } from "../agent/tool.ts";
import { changeFile, type PlannedChange } from "./change-file.ts";
import { changePreview } from "./change-preview.ts";
import type { ChangeDetails } from "./diffs.ts";
import { describeChange } from "./diffs.ts";
import { foldEditArguments } from "./edit-arguments.ts";
import { applyEdits } from "./edit-match.ts";
import { withFileErrors } from "./file-errors.ts";
import { assertWritable, type FileState, maximumLoadedBytes, readFileState } from "./file-state.ts";
import { displayPath, resolveKey } from "./paths.ts";
import { decodeText, encodeText } from "./text-file.ts";
import { formatSize } from "./truncate.ts";

const editSchema = Type.Object({
  path: Type.String({ description: "File to edit, relative to the working folder or absolute" }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({
        description: "Text to replace. Must occur exactly once in the file as it is now, and not overlap other blocks",
      }),
      newText: Type.String({ description: "Text that comes in its place" }),
    }),
    { description: "Blocks to replace, all matched against the file before any of them is applied" },
  ),
});

type EditParameters = Static<typeof editSchema>;

export const editTool = defineTool<typeof editSchema, ChangeDetails>({
  name: "edit",
  label: "Edit",
  description:
    "Change parts of one text file (UTF-8). Each block's oldText must occur exactly once in the original file; all blocks are applied, or none. Put several changes of one file into one call. Line endings, byte order mark and mode are kept.",
  promptSnippet: "Change parts of a file by exact text replacement",
  promptGuidelines: [
    "Use edit for changes in existing files; keep each oldText as short as it can be while still unique in the file.",
    "Several changes of one file go into one edit call with several blocks; blocks must not overlap.",
  ],
  parameters: editSchema,
  effect: "idempotent",
  constrainedSampling: { type: "json_schema", strict: "prefer" },
  prepareArguments: foldEditArguments,
  preview: previewEdit,
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    const path = await resolveKey(params.path, ctx.cwd);
    const shown = await displayPath(path, ctx.cwd);
    return changeFile(ctx, { path, shown, signal }, (before) => planEdit(params, before, shown));
  },
});

async function previewEdit(params: EditParameters, ctx: ToolContext): Promise<ToolPreview> {
  const path = await resolveKey(params.path, ctx.cwd);
  const shown = await displayPath(path, ctx.cwd);
  return withFileErrors(shown, async () => {
    const before = await readFileState(path);
    const { details } = planEdit(params, before, shown);
    await assertWritable(path, before);
    return changePreview(path, shown, before, details);
  });
}

function planEdit({ edits }: EditParameters, before: FileState, shown: string): PlannedChange {
  if (!before.exists) throw new Error(`File not found: ${shown}. Use write to create it.`);
  if (!before.content) {
    throw new Error(`${shown} is ${formatSize(before.size)}; edit works up to ${formatSize(maximumLoadedBytes)}.`);
  }
  const { text, bom } = decodeText(before.content, shown);
  const after = applyEdits(text, edits, shown);
  const details = describeChange(shown, text, after);
  const blocks = edits.length === 1 ? "1 block" : `${edits.length} blocks`;
  return { content: encodeText({ text: after, bom }), text: `Replaced ${blocks} in ${shown}.`, details };
}
