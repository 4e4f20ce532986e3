/** The `count` names that are most like `wanted`, the nearest first. */
export function nearestNames(wanted: string, names: readonly string[], count: number): string[] {
  return names
    .map((name) => ({ name, distance: distanceOf(wanted, name) }))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name, "en"))
    .slice(0, count)
    .map(({ name }) => name);
}

/** One that holds the other (`gpt-5` of `openai/gpt-5-mini`) is nearer than one that only has similar letters. */
function distanceOf(wanted: string, name: string): number {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
  const letters = editDistance(a, b);
  return a.includes(b) || b.includes(a) ? letters / 4 : letters;
}

/** Letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced));
    }
    row = next;
  }
  return row[b.length]!;
}
