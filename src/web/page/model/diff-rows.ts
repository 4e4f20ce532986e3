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
    } else if (!inside) {
      const head = at < 2 && /^(---|\+\+\+) /.test(line);
      if (!head && line !== "") rows.push(looseRow(line));
    } else if (line.startsWith("+")) {
      rows.push({ kind: "added", after: after++, text: line.slice(1) });
      leftAfter--;
    } else if (line.startsWith("-")) {
      rows.push({ kind: "removed", before: before++, text: line.slice(1) });
      leftBefore--;
    } else if (line.startsWith("\\") || line.startsWith("…")) {
      rows.push({ kind: "note", text: line });
    } else {
      rows.push({ kind: "same", before: before++, after: after++, text: line.slice(1) });
      leftBefore--;
      leftAfter--;
    }
  }
  return rows;
}

/** A tool of one's own may give rows without hunks. */
function looseRow(line: string): DiffRow {
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
  return { kind: "note", text: line };
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
