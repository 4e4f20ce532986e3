// Real files and the real decoder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { configDefaults } from "../../src/config/schema.ts";
import { promptImages } from "../../src/main/prompt-images.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

const sees = { provider: "openai", model: "gpt", baseUrl: "https://api.openai.com/v1" };
const blind = { provider: "deepseek", model: "deepseek-chat", baseUrl: "https://api.deepseek.com/v1" };

async function folder(): Promise<string> {
  const path = temporaryFolder("images");
  const picture = sharp({ create: { width: 3_000, height: 20, channels: 3, background: "red" } });
  writeFileSync(join(path, "wide.png"), await picture.clone().png().toBuffer());
  writeFileSync(join(path, "photo.txt"), await picture.clone().resize(8).jpeg().toBuffer());
  writeFileSync(join(path, "notes.png"), "not at all");
  writeFileSync(join(path, "cut.png"), (await picture.clone().png().toBuffer()).subarray(0, 60));
  mkdirSync(join(path, "sub"));
  return path;
}

it("reads images by what they are, not by their names, and makes large ones small enough", async () => {
  const images = await promptImages(["wide.png", "photo.txt"], await folder(), sees, configDefaults);
  expect(images.map(({ mimeType }) => mimeType)).toEqual(["image/png", "image/jpeg"]);
  const { width } = await sharp(Buffer.from(images[0]!.data, "base64")).metadata();
  expect(width).toBe(2_000);
});

it.each([
  ["missing.png", '--image "missing.png" cannot be read (ENOENT)'],
  ["sub", '--image "sub" is not a file'],
  ["notes.png", '--image "notes.png" is no PNG, JPEG, GIF, WebP or BMP image'],
  ["cut.png", "It cannot be shown: it cannot be decoded"],
])("%s is exit 2 with the reason", async (name, words) => {
  const asked = promptImages([name], await folder(), sees, configDefaults);
  await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(words), exitCode: 2 });
});

it("refuses a model that is known to see none, unless the configuration says that it does; and too many", async () => {
  const path = await folder();
  await expect(promptImages(["wide.png"], path, blind, configDefaults)).rejects.toMatchObject({
    message: "deepseek/deepseek-chat does not see images",
    next: expect.stringContaining('[models."deepseek/deepseek-chat"] vision = true'),
  });
  const models = { "deepseek/deepseek-chat": { vision: true } };
  expect(await promptImages(["wide.png"], path, blind, { ...configDefaults, models })).toHaveLength(1);
  const many = Array.from({ length: 9 }, () => "wide.png");
  await expect(promptImages(many, path, sees, configDefaults)).rejects.toThrow("holds 8 images at most, not 9");
  expect(await promptImages([], path, blind, configDefaults)).toEqual([]);
});
