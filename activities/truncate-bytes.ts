/** The longest head of `text` that is at most `bytes` long as JSON text, never cutting a character. */
export function truncateToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= bytes) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) <= bytes) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low).toWellFormed();
}
