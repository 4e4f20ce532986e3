/**
 * Line (from 1) of a key in a TOML text, or undefined. smol-toml gives no positions, so this reads only the
 * shapes that configuration files have: `key = …`, `a.b = …`, `[table]` headers and keys of inline tables.
 */
export function lineOfKey(text: string, path: readonly string[]): number | undefined {
  let table: string[] = [];
  const counts = new Map<string, number>();
  let best: { line: number; depth: number } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line);
    let here: string[];
    if (header) {
      table = splitKey(header[1]!);
      // Of an array of tables each header is one more.
      if (/^\s*\[\[/.test(line)) {
        const name = table.join(".");
        const index = counts.get(name) ?? 0;
        counts.set(name, index + 1);
        table.push(String(index));
      }
      here = table;
    } else {
      const assignment =
        /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=/.exec(line);
      if (!assignment) continue;
      here = [...table, ...splitKey(assignment[1]!)];
    }
    const depth = commonLength(here, path);
    // A longer match is nearer to the key; a key inside an inline table is on the line of its outermost key.
    if (depth > 0 && depth === Math.min(here.length, path.length) && depth > (best?.depth ?? 0)) {
      best = { line: index + 1, depth };
    }
  }
  return best?.line;
}

function splitKey(key: string): string[] {
  const parts = key.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? [];
  return parts.map((part) => part.replace(/^["']|["']$/g, ""));
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length++;
  return length;
}

/** `FILE:LINE:` of a key, or `FILE:` where its line is not found. */
export function placeOf(text: string, file: string, path: readonly string[]): string {
  const line = lineOfKey(text, path);
  return line === undefined ? `${file}:` : `${file}:${line}:`;
}
