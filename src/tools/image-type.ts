/** MIME type of an image by its first bytes; the file's name does not count. Undefined for anything else. */
export function imageTypeOf(head: Buffer): string | undefined {
  const starts = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  const ascii = (offset: number, text: string) =>
    head.subarray(offset, offset + text.length).toString("latin1") === text;
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (ascii(0, "GIF87a") || ascii(0, "GIF89a")) return "image/gif";
  if (ascii(0, "RIFF") && ascii(8, "WEBP")) return "image/webp";
  // "BM" alone begins many a text: the reserved fields must be zero and the header's size a known one.
  if (ascii(0, "BM") && head.length >= 18 && head.readUInt32LE(6) === 0) {
    if ([12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14))) return "image/bmp";
  }
  return undefined;
}
