/** Pixels as red, green, blue. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

const maximumPixels = 25_000_000;

/**
 * Decodes a BMP file without compression, which sharp does not read. Transparency is left out: most writers put
 * nothing of meaning there.
 * @throws Error when it is of another kind, or broken
 */
export function decodeBitmap(file: Buffer): Pixels {
  try {
    return decode(file);
  } catch (error) {
    if (error instanceof RangeError) throw new Error("the file is cut short", { cause: error });
    throw error;
  }
}

function decode(file: Buffer): Pixels {
  const headerSize = file.readUInt32LE(14);
  const old = headerSize === 12;
  const width = old ? file.readUInt16LE(18) : file.readInt32LE(18);
  const signedHeight = old ? file.readUInt16LE(20) : file.readInt32LE(22);
  const bits = file.readUInt16LE(old ? 24 : 28);
  const compression = old ? 0 : file.readUInt32LE(30);
  // A negative height means that the first row is the upper one.
  const height = Math.abs(signedHeight);
  if (width < 1 || height < 1) throw new Error("it has no pixels");
  if (width * height > maximumPixels) throw new Error(`it has more than ${maximumPixels / 1_000_000} million pixels`);
  if (![1, 4, 8, 16, 24, 32].includes(bits) || ![0, 3, 6].includes(compression)) {
    throw new Error("this kind of BMP compression is not supported");
  }
  const start = file.readUInt32LE(10);
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (start + stride * height > file.length) throw new RangeError("too short");
  const color =
    bits <= 8 ? paletteColor(file, headerSize, old) : maskedColor(compression === 0 ? undefined : file, bits);
  const data = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    const from = start + stride * (signedHeight < 0 ? row : height - 1 - row);
    for (let column = 0; column < width; column += 1) {
      const rgb = color(pixelAt(file, from, column, bits));
      data[(row * width + column) * 3] = rgb >> 16;
      data[(row * width + column) * 3 + 1] = (rgb >> 8) & 0xff;
      data[(row * width + column) * 3 + 2] = rgb & 0xff;
    }
  }
  return { data, width, height };
}

function pixelAt(file: Buffer, row: number, column: number, bits: number): number {
  if (bits === 32) return file.readUInt32LE(row + column * 4);
  if (bits === 24) return file.readUIntLE(row + column * 3, 3);
  if (bits === 16) return file.readUInt16LE(row + column * 2);
  const byte = file[row + ((column * bits) >> 3)]!;
  return (byte >> (8 - bits - ((column * bits) & 7))) & ((1 << bits) - 1);
}

/** Entries are blue, green, red, and in all but the oldest form an unused byte. */
function paletteColor(file: Buffer, headerSize: number, old: boolean): (value: number) => number {
  const entry = old ? 3 : 4;
  return (value) => {
    const at = 14 + headerSize + value * entry;
    return at + 3 > file.length ? 0 : file.readUIntLE(at, 3);
  };
}

/** The masks stand behind the first 40 bytes of the header, in it or after it. */
function maskedColor(file: Buffer | undefined, bits: number): (value: number) => number {
  const masks = file
    ? [54, 58, 62].map((at) => file.readUInt32LE(at))
    : bits === 16
      ? [0x7c00, 0x3e0, 0x1f]
      : [0xff0000, 0xff00, 0xff];
  const [red, green, blue] = masks.map(channel) as [Channel, Channel, Channel];
  return (value) => (red(value) << 16) | (green(value) << 8) | blue(value);
}

type Channel = (value: number) => number;

function channel(mask: number): Channel {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const largest = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / largest);
}
