import type { OutputStream } from "../services.ts";
import { type Line, lineWidth, paint } from "../text/line.ts";
import type { Look } from "../text/look.ts";

/**
 * The lower end of a terminal: lines that stay go up into the scroll-back, the moving lines below them are rewritten.
 * Every moving line must fit the width; how many rows a resize made of them is counted again before they are erased.
 */
export class Screen {
  private readonly out: OutputStream;
  private readonly look: () => Look;
  private movingWidths: number[] = [];
  private last = "";

  constructor(out: OutputStream, look: () => Look) {
    this.out = out;
    this.look = look;
  }

  /** Rows that moving lines may take. */
  get room(): number {
    return Math.max(3, (this.out.rows || 24) - 1);
  }

  /** Prints `lines` for good and puts `moving` below; the cursor stands in the last moving line at `column`. */
  show(lines: readonly Line[], moving: readonly Line[], column: number): void {
    const look = this.look();
    const kept = moving.slice(-this.room);
    const body = kept.map((row) => paint(row, look)).join("\r\n");
    const end = kept.length === 0 ? "" : `\r${column > 0 ? `\x1b[${column}C` : ""}`;
    if (lines.length === 0 && body + end === this.last) return;
    const stay = lines.map((row) => `${paint(row, look)}\r\n`).join("");
    // Hidden while it moves, so that it does not flicker across the lines.
    this.out.write(`\x1b[?25l${this.erase(look)}${stay}${body}${end}\x1b[?25h`);
    this.movingWidths = kept.map(lineWidth);
    this.last = body + end;
  }

  /** Writes everything anew after something else wrote on the terminal. */
  forget(): void {
    this.movingWidths = [];
    this.last = "";
  }

  private erase(look: Look): string {
    const rows = this.movingWidths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / look.width)), 0);
    if (rows === 0) return "";
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}\x1b[J`;
  }
}
