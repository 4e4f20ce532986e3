import type { ImageContent } from "../../../agent/messages.ts";

const shown: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** A `data:` address for a picture a tool gave; undefined for types that could carry more than pixels. */
export function imageAddress({ data, mimeType }: ImageContent): string | undefined {
  if (!shown.has(mimeType) || !/^[A-Za-z0-9+/]+=*$/.test(data)) return undefined;
  return `data:${mimeType};base64,${data}`;
}
