import { useRef, useState } from "preact/hooks";

/** Rows drawn at first, and added each time the reader goes back. */
const rowsAtOnce = 200;
/**
 * Which rows are drawn: from `start` to the end. The first drawn row stays the same one while rows come at the end or
 * are put in front, or the reader's place would move. Nothing is drawn while thousands still come: each picture would be
 * replaced by the next.
 */
export function useWindow(
  rows: readonly { key: string }[],
  isFilling: boolean,
): { start: number; showMore: () => void } {
  const first = useRef<{ at: number; key: string }>(undefined);
  const [, redraw] = useState(0);
  if (isFilling) first.current = undefined;
  else if (rows.length > 0) first.current = placeOf(rows, first.current);
  const start = first.current?.at ?? rows.length;
  const latest = useRef(rows);
  latest.current = rows;
  const showMore = () => {
    const now = placeOf(latest.current, first.current);
    first.current = at(latest.current, Math.max(0, now.at - rowsAtOnce));
    redraw((count) => count + 1);
  };
  return { start, showMore };
}

const at = (rows: readonly { key: string }[], index: number) => ({ at: index, key: rows[index]?.key ?? "" });

function placeOf(rows: readonly { key: string }[], known: { at: number; key: string } | undefined) {
  if (known !== undefined && rows[known.at]?.key === known.key) return known;
  const found = known === undefined ? -1 : rows.findIndex(({ key }) => key === known.key);
  return at(rows, found === -1 ? Math.max(0, rows.length - rowsAtOnce) : found);
}
