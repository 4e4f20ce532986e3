import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { fitImage, type loadSharp } from "../../src/tools/image-resize.ts";
import { readTool } from "../../src/tools/read.ts";
import { readImage } from "../../src/tools/read-image.ts";
import { contextFor, runTool } from "./support.ts";

const signal = new AbortController().signal;

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#3366cc" } });
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "red", noise: { type: "gaussian", mean: 128, sigma: 50 } },
  });

async function readImageFile(content: Buffer) {
  const ctx = await contextFor();
  await writeFile(join(ctx.cwd, "picture.txt"), content);
  const { content: blocks, text } = await runTool(readTool, { path: "picture.txt" }, ctx);
  const image = blocks.find((block) => block.type === "image");
  return { text: text.trimEnd(), image, blocks };
}

const decoded = (data: string) => sharp(Buffer.from(data, "base64")).metadata();

describe("read of images (8.8)", () => {
  test.each([
    ["png", () => plain(30, 20).png()],
    ["jpeg", () => plain(30, 20).jpeg()],
    ["gif", () => plain(30, 20).gif()],
    ["webp", () => plain(30, 20).webp()],
  ])("a small %s passes as it is, by content, whatever the name", async (format, make) => {
    const content = await make().toBuffer();
    const { text, image } = await readImageFile(content);
    expect(image).toEqual({ type: "image", data: content.toString("base64"), mimeType: `image/${format}` });
    expect(text).toBe(`picture.txt is an image (image/${format}, ${content.length} bytes, 30 × 20).`);
  });

  test("a large one is scaled to 2000, with both sizes and the factor", async () => {
    const { text, image } = await readImageFile(await plain(4000, 1000).png().toBuffer());
    expect(text).toContain("4000 × 1000). Shown at 2000 × 500: multiply coordinates by 2.00");
    expect(await decoded(image!.data)).toMatchObject({ format: "png", width: 2000, height: 500 });
  });

  test.each([
    ["png", () => noise(2400, 1800).png()],
    ["jpeg", () => noise(2400, 1800).jpeg({ quality: 95 })],
    ["webp", () => noise(1500, 1500).webp({ quality: 95 })],
  ])(
    "a %s of many bytes becomes less than 150 KB of base64",
    async (_format, make) => {
      const { image } = await readImageFile(await make().toBuffer());
      expect(image!.data.length).toBeLessThanOrEqual(150 * 1024);
      expect(image!.data.length).toBeGreaterThan(40 * 1024);
      expect((await decoded(image!.data)).width).toBeGreaterThan(200);
      expect(image!.mimeType).toBe("image/jpeg");
    },
    30_000,
  );

  test("a camera's turn is applied, and only the first picture of an animation is shown", async () => {
    const turned = await readImageFile(await plain(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect(turned.text).toContain("20 × 40");
    expect(await decoded(turned.image!.data)).toMatchObject({ width: 20, height: 40 });
    const pages = await sharp([await noise(20, 20).png().toBuffer(), await plain(20, 20).png().toBuffer()], {
      join: { animated: true },
    })
      .gif()
      .toBuffer();
    const { text, image } = await readImageFile(pages);
    expect(text).toContain("Only the first of 2 pictures is shown. Shown as image/png.");
    expect(await decoded(image!.data)).toMatchObject({ format: "png", width: 20, height: 20 });
  });

  test("transparency becomes white in a JPEG", async () => {
    const { image } = await readImageFile(await noise(1200, 1200).ensureAlpha(0).png().toBuffer());
    expect(image!.mimeType).toBe("image/jpeg");
    const { dominant } = await sharp(Buffer.from(image!.data, "base64")).stats();
    expect(dominant.r).toBeGreaterThan(240);
  }, 30_000);

  test("what is damaged is shown as far as it can be decoded, never passed on", async () => {
    const whole = await noise(200, 200).jpeg().toBuffer();
    const { image } = await readImageFile(whole.subarray(0, whole.length / 2));
    await sharp(Buffer.from(image!.data, "base64"), { failOn: "warning" }).raw().toBuffer();
  });

  test.each([
    ["a head alone", Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(20)])],
    ["an empty GIF", Buffer.from("GIF89a\0\0")],
    ["a cut BMP", bitmapOf(24, 3, 2).subarray(0, 60)],
  ])("%s becomes a text with the reason and what to do", async (_name, content) => {
    const { blocks, text } = await readImageFile(content);
    expect(blocks).toHaveLength(1);
    expect(text).toMatch(/is an image \(.*\)\. It cannot be shown: it cannot be decoded \(.*\)\. Make a smaller PNG/);
  });

  test("a bomb of more than 100 million pixels is not decoded", async () => {
    const bomb = await plain(20_000, 6000).png().toBuffer();
    expect((await readImageFile(bomb)).text).toContain("It cannot be shown: it has more than 100 million pixels.");
  }, 30_000);

  test.each([
    ["not installed", Object.assign(new Error("Cannot find package 'sharp'"), { code: "ERR_MODULE_NOT_FOUND" })],
    ["not for this machine", new Error('Could not load the "sharp" module using the linux-x64 runtime\nPossible …')],
  ])("sharp %s: a text, not an error", async (_name, error) => {
    const missing: typeof loadSharp = () => Promise.reject(error);
    const path = join((await contextFor()).cwd, "f");
    await writeFile(path, await plain(3, 3).png().toBuffer());
    const file = await open(path);
    try {
      const about = { size: 90, mimeType: "image/png", shown: "f" };
      expect(await readImage(file, about, signal, missing)).toEqual([
        { type: "text", text: expect.stringContaining("the optional package sharp") },
      ]);
    } finally {
      await file.close();
    }
  });

  test("an abort ends the work", async () => {
    const content = await noise(500, 500).png().toBuffer();
    await expect(fitImage(content, "image/png", AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});

/** Two rows: red, green, blue and white, black, red; 16 bits hold five of each colour. */
function bitmapOf(bits: number, width: number, height: number, topDown = false): Buffer {
  const stride = Math.ceil((width * bits) / 32) * 4;
  const palette = bits <= 8 ? 4 * 2 ** bits : 0;
  const file = Buffer.alloc(54 + palette + stride * height);
  file.write("BM");
  file.writeUInt32LE(54 + palette, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(topDown ? -height : height, 22);
  file.writeUInt16LE(bits, 28);
  const colors = [0xff0000, 0x00ff00, 0x0000ff, 0xffffff, 0x000000];
  if (palette)
    for (const [index, color] of colors.slice(0, 2 ** bits).entries()) file.writeUIntLE(color, 54 + index * 4, 3);
  const rows = [
    [0, 1, 2],
    [3, 4, 0],
  ];
  for (const [row, cells] of rows.entries()) {
    const at = 54 + palette + stride * (topDown ? row : height - 1 - row);
    for (const [column, cell] of cells.entries()) {
      const color = colors[cell]!;
      if (bits === 24) file.writeUIntLE(color, at + column * 3, 3);
      if (bits === 32) file.writeUInt32LE(color, at + column * 4);
      if (bits === 16)
        file.writeUInt16LE(((color >> 19) << 10) | (((color >> 11) & 31) << 5) | ((color >> 3) & 31), at + column * 2);
      if (bits === 8) file[at + column] = cell;
      if (bits === 4) file[at + (column >> 1)]! |= cell << (column % 2 ? 0 : 4);
    }
  }
  return file;
}

describe("BMP, which endpoints do not know, becomes PNG", () => {
  test.each([
    [4, false],
    [8, false],
    [16, false],
    [24, false],
    [24, true],
    [32, true],
  ])("%i bits, upper row first: %s", async (bits, topDown) => {
    const { image, text } = await readImageFile(bitmapOf(bits, 3, 2, topDown));
    expect(text).toContain("3 × 2). Shown as image/png.");
    const pixels = await sharp(Buffer.from(image!.data, "base64")).removeAlpha().raw().toBuffer();
    expect(pixels.toString("hex")).toBe("ff000000ff000000ffffffff000000ff0000");
  });
});
