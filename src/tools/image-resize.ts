import type { Sharp, SharpOptions } from "sharp";
import { decodeBitmap } from "./bitmap.ts";

/** Width and height that models look at; more is scaled away by the endpoint, at our cost. */
const maximumSide = 2000;
/** Characters of base64: a result as a whole may have 200 KB, and the image stands in each history that keeps it. */
const maximumCharacters = 150 * 1024;
const maximumBytes = Math.floor(maximumCharacters / 4) * 3;
/** A small file can be a picture of any size: beyond this it is not decoded. */
const maximumPixels = 100_000_000;
const decodeSeconds = 20;

type SharpFunction = typeof import("sharp").default;

export interface FittedImage {
  /** Base64. */
  data: string;
  mimeType: string;
  /** Of the file, as it is looked at: a camera's turn is taken into account. */
  width: number;
  height: number;
  /** Of what is shown. */
  shownWidth: number;
  shownHeight: number;
  /** Pictures in the file; only the first one is shown. */
  pages: number;
}

/** sharp is optional: it is loaded when the first image is read. */
export const loadSharp = async (): Promise<SharpFunction> => (await import("sharp")).default;

/**
 * An image as it can be sent to a model: at most 2000 × 2000 and 150 KB of base64, in a format that endpoints know, and
 * one that can be decoded. A broken image would be refused with each request from then on.
 * @throws Error with the reason
 */
export async function fitImage(
  content: Buffer,
  mimeType: string,
  signal: AbortSignal,
  load: typeof loadSharp = loadSharp,
): Promise<FittedImage> {
  const sharp = await load();
  const { input, options } = sourceOf(content, mimeType);
  const lenient: SharpOptions = { ...options, failOn: "none", limitInputPixels: maximumPixels };
  const { autoOrient, pages = 1, orientation = 1 } = await sharp(input, lenient).metadata();
  const { width, height } = autoOrient;
  const about = { width, height, pages };
  const small = content.length <= maximumBytes && Math.max(width, height) <= maximumSide;
  if (small && mimeType !== "image/bmp" && pages === 1 && orientation === 1) {
    const isWhole = await sharp(input, { ...lenient, failOn: "warning" })
      .raw()
      .toBuffer()
      .then(
        () => true,
        () => false,
      );
    if (isWhole)
      return { ...about, data: content.toString("base64"), mimeType, shownWidth: width, shownHeight: height };
  }
  signal.throwIfAborted();
  // Once to the size that is needed at most: what follows may take several rounds.
  const { data, info } = await sharp(input, lenient)
    .timeout({ seconds: decodeSeconds })
    .autoOrient()
    .resize({ width: maximumSide, height: maximumSide, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw: SharpOptions = { raw: { width: info.width, height: info.height, channels: info.channels } };
  const encoded = await encode(() => sharp(data, raw), info, mimeType !== "image/jpeg", signal);
  return { ...about, ...encoded };
}

function sourceOf(content: Buffer, mimeType: string): { input: Buffer; options: SharpOptions } {
  if (mimeType !== "image/bmp") return { input: content, options: {} };
  const { data, width, height } = decodeBitmap(content);
  return { input: data, options: { raw: { width, height, channels: 3 } } };
}

type Encoded = Pick<FittedImage, "data" | "mimeType" | "shownWidth" | "shownHeight">;

/** Tries formats from the best to the smallest, then the same at a smaller size, until one fits. */
async function encode(
  open: () => Sharp,
  size: { width: number; height: number },
  lossless: boolean,
  signal: AbortSignal,
): Promise<Encoded> {
  for (let side = Math.max(size.width, size.height); side >= 1; ) {
    let smallest = Number.POSITIVE_INFINITY;
    for (const { mimeType, apply, tooSlowAbove } of lossless ? losslessFormats : photoFormats) {
      signal.throwIfAborted();
      if (smallest > tooSlowAbove) continue;
      const scaled = open().resize({ width: side, height: side, fit: "inside", withoutEnlargement: true });
      const { data, info } = await apply(scaled).toBuffer({ resolveWithObject: true });
      if (data.length <= maximumBytes) {
        return { data: data.toString("base64"), mimeType, shownWidth: info.width, shownHeight: info.height };
      }
      smallest = Math.min(smallest, data.length);
    }
    side = Math.floor(side * Math.min(0.9, Math.max(0.3, Math.sqrt(maximumBytes / smallest))));
  }
  throw new Error("it does not get small enough");
}

interface Format {
  mimeType: string;
  apply: (image: Sharp) => Sharp;
  /** Left out when what was tried before had more bytes than this. */
  tooSlowAbove: number;
}

/** JPEG rather than WebP for photographs: some servers of local models read no WebP. */
const jpeg = (quality: number): Format => ({
  mimeType: "image/jpeg",
  // JPEG has no transparency; what is transparent is drawn on white by most programs.
  apply: (image) => image.flatten({ background: "#ffffff" }).jpeg({ quality }),
  tooSlowAbove: Number.POSITIVE_INFINITY,
});

/** Few colours keep a screenshot's text sharp; for photographs they are slow to choose and look bad. */
const fewColors = (colours: number): Format => ({
  mimeType: "image/png",
  apply: (image) => image.png({ palette: true, colours, effort: 1, dither: 0 }),
  tooSlowAbove: 12 * maximumBytes,
});

const png: Format = {
  mimeType: "image/png",
  apply: (image) => image.png(),
  tooSlowAbove: Number.POSITIVE_INFINITY,
};
const photoFormats = [jpeg(85), jpeg(70), jpeg(55)];
const losslessFormats = [png, jpeg(85), fewColors(64), fewColors(16), jpeg(60)];
