/** The same numbers in every run: a property that fails can be looked at again. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** `text` in pieces of 1 to 7 characters. */
export function splitText(text: string, random: (below: number) => number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + random(7);
    parts.push(text.slice(at, at + size));
    at += size;
  }
  return parts;
}

/** `bytes` in network reads of very different sizes, in the middle of characters, lines and events. */
export function splitBytes(bytes: Uint8Array, random: (below: number) => number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random([1, 3, 30, 300, 3_000][random(5)]!);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}
