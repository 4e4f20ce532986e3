/** The glyphs of the command line: a state is never told by colour alone. */
export const signs = { running: "●", done: "✓", failed: "✗", asks: "?", held: "○", none: "○" } as const;
export type SignState = keyof typeof signs;

/** The same for whoever cannot see the glyph. */
export const signWords: Record<SignState, string> = {
  running: "running",
  done: "done",
  failed: "failed",
  asks: "waits for you",
  held: "not begun",
  none: "did not run",
};
