import { visibleText } from "../../../agent/visible-text.ts";

/** A row of a patch. `before` and `after` are its line numbers in the two files. */
export interface DiffRow {
  kind: "added" | "removed" | "same" | "hunk" | "note";
  before?: number;
  after?: number;
  text: string;
}

/** Rows of a unified patch of one file; the two head rows, which repeat the path, are left out. */
export function diffRows(patch: string): DiffRow[] {
  const lines = visibleText(patch).replace(/\n$/, "").split("\n");
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let leftBefore = 0;
  let leftAfter = 0;
  for (const [at, line] of lines.entries()) {
    const inside = leftBefore > 0 || leftAfter > 0;
    const hunk = inside ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[3])];
      [leftBefore, leftAfter] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      rows.push({ kind: "hunk", text: line });
      continue;
    }
    // Only outside a hunk do these mean a head; inside, the counts say that a row was removed or added.
    if (!inside && at < 2 && /^(---|\+\+\+) /.test(line)) continue;
    // A row of blanks alone may have lost them.
    const row = rowOf(line === "" && inside ? " " : line, { before, after });
    if (row === undefined) continue;
    rows.push(row);
    if (row.kind === "removed" || row.kind === "same") [before, leftBefore] = [before + 1, leftBefore - 1];
    if (row.kind === "added" || row.kind === "same") [after, leftAfter] = [after + 1, leftAfter - 1];
  }
  return rows;
}

/** Numbers are left out where there was no hunk: a tool of one's own may give rows alone. */
function rowOf(line: string, at: { before: number; after: number }): DiffRow | undefined {
  const before = at.before > 0 ? { before: at.before } : {};
  const after = at.after > 0 ? { after: at.after } : {};
  switch (line[0]) {
    case undefined:
      return undefined;
    case "+":
      return { kind: "added", ...after, text: line.slice(1) };
    case "-":
      return { kind: "removed", ...before, text: line.slice(1) };
    case " ":
      return { kind: "same", ...before, ...after, text: line.slice(1) };
    default:
      return { kind: "note", text: line };
  }
}

/** The patch in a result's details: text or a list of rows; undefined where there is none. */
export function patchOf(details: unknown): string | undefined {
  const diff = (details as { diff?: unknown } | null | undefined)?.diff;
  if (typeof diff === "string") return diff === "" ? undefined : diff;
  return Array.isArray(diff) && diff.every((row) => typeof row === "string") ? diff.join("\n") : undefined;
}

/** Rows added and removed, counted. */
export const diffCounts = (rows: readonly DiffRow[]): { added: number; removed: number } => ({
  added: rows.filter(({ kind }) => kind === "added").length,
  removed: rows.filter(({ kind }) => kind === "removed").length,
});
