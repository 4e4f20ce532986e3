/** Text of a file, with what must come back when it is written again. */
export interface DecodedText {
  /** Without the byte order mark. */
  text: string;
  bom: boolean;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Decodes UTF-8 without loss.
 * @throws Error when bytes are not UTF-8: writing the file back would change them
 */
export function decodeText(content: Buffer, shown: string): DecodedText {
  const bom = content.subarray(0, 3).equals(byteOrderMark);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bom ? content.subarray(3) : content);
    return { text, bom };
  } catch {
    throw new Error(
      `${shown} is not UTF-8 text${encodingHint(content)}; editing it would change other bytes. Convert it first, or change it with a program through bash.`,
    );
  }
}

export function encodeText({ text, bom }: DecodedText): Buffer {
  const content = Buffer.from(text);
  return bom ? Buffer.concat([byteOrderMark, content]) : content;
}

/** Words about the likely encoding of bytes that are not UTF-8, or nothing. */
export function encodingHint(content: Buffer): string {
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return " (it looks like UTF-16)";
  return "";
}
