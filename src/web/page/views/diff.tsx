import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../../../agent/format.ts";
import { type DiffRow, diffRows } from "../model/diff-rows.ts";

const signOf = { added: "+", removed: "−", same: " ", hunk: "", note: "" } as const;
const wordOf = { added: "added", removed: "removed", same: "", hunk: "", note: "" } as const;

/** A row; `children` in place of its text. */
export const DiffRowView = ({ row, children }: { row: DiffRow; children?: ComponentChildren }) => (
  <tr class={`diff-${row.kind}`}>
    <td class="diff-number">{row.before}</td>
    <td class="diff-number">{row.after}</td>
    <td class="diff-sign">
      <span aria-hidden="true">{signOf[row.kind]}</span>
      {wordOf[row.kind] !== "" && <span class="only-read">{wordOf[row.kind]}: </span>}
    </td>
    <td class="diff-text">{children ?? (row.text === "" ? "\u00a0" : row.text)}</td>
  </tr>
);

/** A patch in rows; above `most` rows the rest folds away. */
export function Diff({ patch, label, most = 400 }: { patch: string; label: string; most?: number }) {
  const [whole, setWhole] = useState(false);
  const rows = diffRows(patch);
  const shown = whole || rows.length <= most ? rows : rows.slice(0, most);
  return (
    <div class="diff">
      <table aria-label={label}>
        <tbody>
          {shown.map((row, at) => (
            <DiffRowView key={at} row={row} />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          {count(rows.length - shown.length, "more row")}: show all
        </button>
      )}
    </div>
  );
}
