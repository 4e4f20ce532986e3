import type { FileHandle } from "node:fs/promises";
import type { ImageContent, TextContent } from "../agent/messages.ts";
import { type FittedImage, fitImage, type loadSharp } from "./image-resize.ts";
import { formatSize } from "./truncate.ts";

/** Bytes of a file that is read whole to be made smaller. */
const maximumFileBytes = 64 * 1024 * 1024;

/**
 * An image for a model, with a text that says what it looks at; only a text, with the reason and what to do, when it
 * cannot be shown.
 */
export async function readImage(
  file: FileHandle,
  about: { size: number; mimeType: string; shown: string },
  signal: AbortSignal,
  load?: typeof loadSharp,
): Promise<(TextContent | ImageContent)[]> {
  const { size, mimeType, shown } = about;
  const title = `${shown} is an image (${mimeType}, ${formatSize(size)}`;
  const refusal = (reason: string): TextContent[] => [
    {
      type: "text",
      text: `${title}). It cannot be shown: ${reason}. Make a smaller PNG or JPEG of it with a program through bash, if there is one, and read that.`,
    },
  ];
  if (size > maximumFileBytes) return refusal(`files above ${formatSize(maximumFileBytes)} are not decoded`);
  const content = Buffer.alloc(size);
  const { bytesRead } = await file.read(content, 0, size, 0);
  try {
    const image = await fitImage(content.subarray(0, bytesRead), mimeType, signal, load);
    const text = `${title}, ${image.width} × ${image.height})${changes(image, mimeType)}`;
    return [
      { type: "text", text },
      { type: "image", data: image.data, mimeType: image.mimeType },
    ];
  } catch (error) {
    signal.throwIfAborted();
    return refusal(reasonOf(error));
  }
}

function changes(image: FittedImage, mimeType: string): string {
  const { width, height, shownWidth, shownHeight, pages } = image;
  const notes: string[] = [];
  if (pages > 1) notes.push(` Only the first of ${pages} pictures is shown.`);
  if (image.mimeType !== mimeType) notes.push(` Shown as ${image.mimeType}.`);
  if (shownWidth !== width || shownHeight !== height) {
    const factor = (width / shownWidth).toFixed(2);
    notes.push(
      ` Shown at ${shownWidth} × ${shownHeight}: multiply coordinates by ${factor} to get those of the file. For details cut out a part with a program and read that.`,
    );
  }
  return `.${notes.join("")}`;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND" || /"sharp" module/.test(message)) {
    return "the optional package sharp, which makes images small enough, is not installed with tempi";
  }
  if (/pixel limit/.test(message)) return "it has more than 100 million pixels";
  return `it cannot be decoded (${message.split("\n")[0]!.replace(/\.$/, "")})`;
}
