import { sanitise } from "../text/sanitise.ts";
import { cellsOf, textWidth } from "../text/width.ts";
import type { Key } from "./keys.ts";

/** One line of input. Pasted newlines stay in the text and are shown as `\n`. */
export class LineEditor {
  private graphemes: string[] = [];
  private cursor = 0;

  get text(): string {
    return this.graphemes.join("");
  }

  get empty(): boolean {
    return this.graphemes.length === 0;
  }

  clear(): void {
    this.graphemes = [];
    this.cursor = 0;
  }

  /** True when the key was for the line. */
  take(key: Key): boolean {
    if (key.kind !== "key") {
      const added = cellsOf(key.text).map((cell) => cell.grapheme);
      this.graphemes.splice(this.cursor, 0, ...added);
      this.cursor += added.length;
      return true;
    }
    switch (key.name) {
      case "backspace":
        if (this.cursor > 0) this.graphemes.splice(--this.cursor, 1);
        return true;
      case "delete":
        this.graphemes.splice(this.cursor, 1);
        return true;
      case "left":
        this.cursor = Math.max(0, this.cursor - 1);
        return true;
      case "right":
        this.cursor = Math.min(this.graphemes.length, this.cursor + 1);
        return true;
      case "home":
        this.cursor = 0;
        return true;
      case "end":
        this.cursor = this.graphemes.length;
        return true;
      case "ctrlU":
        this.graphemes.splice(0, this.cursor);
        this.cursor = 0;
        return true;
      case "ctrlW": {
        const before = this.graphemes.slice(0, this.cursor).join("");
        const kept = before.replace(/\S*\s*$/, "");
        const removed = cellsOf(before).length - cellsOf(kept).length;
        this.graphemes.splice(this.cursor - removed, removed);
        this.cursor -= removed;
        return true;
      }
      default:
        return false;
    }
  }

  /** The part that fits `width` columns around the cursor, and the cursor's column in it. */
  visible(width: number): { text: string; column: number } {
    const shown = (part: string[]): string => sanitise(part.join("")).replaceAll("\n", "\\n");
    let from = 0;
    while (from < this.cursor && textWidth(shown(this.graphemes.slice(from, this.cursor))) >= width) from++;
    let to = this.graphemes.length;
    while (to > this.cursor && textWidth(shown(this.graphemes.slice(from, to))) > width) to--;
    return {
      text: shown(this.graphemes.slice(from, to)),
      column: textWidth(shown(this.graphemes.slice(from, this.cursor))),
    };
  }
}
