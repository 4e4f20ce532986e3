import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ImageContent } from "../agent/messages.ts";
import { UsageError } from "../config/errors.ts";
import { modelOptionsOf } from "../config/model-options.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { ModelSettings } from "../protocol/session.ts";
import { compatFor } from "../providers/openai-completions/compat.ts";
import { imageTypeOf } from "../tools/image-type.ts";
import { readImage } from "../tools/read-image.ts";

/** A prompt holds so many. */
const most = 8;
const headBytes = 64;
const decodeMs = 60_000;

/**
 * The images of `--image`, small enough for a model, in their order. Throws UsageError (exit 2) for what is no image or cannot be
 * made small, and for a model that is known to see none: before anything is sent.
 */
export async function promptImages(
  paths: readonly string[],
  folder: string,
  model: ModelSettings | undefined,
  config: ConfigFile,
): Promise<ImageContent[]> {
  if (paths.length === 0) return [];
  if (paths.length > most)
    throw new UsageError(
      `a prompt holds ${most} images at most, not ${paths.length}`,
      "send the rest with tempi send --image",
    );
  if (model && !seesImages(model, config)) {
    const name = `${model.provider}/${model.model}`;
    throw new UsageError(
      `${name} does not see images`,
      `--model with one that does, or [models."${name}"] vision = true in config.toml`,
    );
  }
  const images: ImageContent[] = [];
  // One after the other: each is decoded whole.
  for (const path of paths) images.push(await oneImage(path, folder));
  return images;
}

function seesImages({ provider, model, baseUrl }: ModelSettings, config: ConfigFile): boolean {
  if (!baseUrl || !URL.canParse(baseUrl)) return true;
  return compatFor(provider, new URL(baseUrl), modelOptionsOf(provider, model, config).compat).images;
}

async function oneImage(path: string, folder: string): Promise<ImageContent> {
  const shown = `--image ${JSON.stringify(path)}`;
  const file = await open(resolve(folder, path), "r").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${shown} cannot be read (${error.code})`, "name a readable file, from this folder");
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new UsageError(`${shown} is not a file`, "name an image file");
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await file.read(head, 0, headBytes, 0);
    const mimeType = imageTypeOf(head.subarray(0, bytesRead));
    if (mimeType === undefined) {
      throw new UsageError(`${shown} is no PNG, JPEG, GIF, WebP or BMP image`, "--file for a text");
    }
    const about = { size: stat.size, mimeType, shown: path };
    const content = await readImage(file, about, AbortSignal.timeout(decodeMs));
    const image = content.find((block) => block.type === "image");
    if (image) return image;
    const [reason] = content;
    throw new UsageError(
      reason?.type === "text" ? reason.text.replace(/\. Make a smaller .*$/s, "") : `${shown} cannot be shown`,
      "a smaller PNG or JPEG of it",
    );
  } finally {
    await file.close();
  }
}
