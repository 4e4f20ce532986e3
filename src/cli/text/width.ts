const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const zero = /^[\p{Mn}\p{Me}\u200d]+$/u;
const onlyAscii = /^[\x20-\x7e]*$/;

/** Graphemes of a text with the columns each takes on a terminal. */
export function cellsOf(text: string): { grapheme: string; width: number }[] {
  if (onlyAscii.test(text)) return Array.from(text, (grapheme) => ({ grapheme, width: 1 }));
  return Array.from(segmenter.segment(text), ({ segment }) => ({ grapheme: segment, width: graphemeWidth(segment) }));
}

export function textWidth(text: string): number {
  if (onlyAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

const graphemeWidth = (grapheme: string): number => (zero.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1);

/** Cuts or fills with blanks to exactly `width` columns. */
export function fitWidth(text: string, width: number, ellipsis: string): string {
  const own = textWidth(text);
  if (own <= width) return text + " ".repeat(width - own);
  let kept = "";
  let used = 0;
  for (const cell of cellsOf(text)) {
    if (used + cell.width > width - textWidth(ellipsis)) break;
    kept += cell.grapheme;
    used += cell.width;
  }
  const cut = width >= textWidth(ellipsis) ? kept + ellipsis : ".".repeat(Math.max(0, width));
  return cut + " ".repeat(Math.max(0, width - textWidth(cut)));
}
