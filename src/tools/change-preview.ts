import type { ToolPreview } from "../agent/tool.ts";
import { type ChangeDetails, countsText, cut } from "./diffs.ts";
import type { FileState } from "./file-state.ts";

/** Bytes of a patch in a preview: it is stored with the approval. */
const maximumDisplayBytes = 12 * 1024;

/** What a person sees of a change of one file before it is made. */
export const changePreview = (path: string, shown: string, before: FileState, change: ChangeDetails): ToolPreview => ({
  summary: `${shown} ${countsText(change)}`,
  display: [{ kind: "diff", path, patch: cut(change.diff, maximumDisplayBytes) }],
  paths: [{ path, access: "write" }],
  // The path as resolved: a link made later must not turn what was allowed into another file.
  digestParts: [`path ${path}`, `file ${before.hash}`],
});
