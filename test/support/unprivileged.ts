import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";

const nobody = 65_534;

/** Runs as a user whom file permissions bind: root (as in CI) puts its rights aside meanwhile. `folders` are given to that user. */
export async function unprivileged<T>(folders: string[], run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await run();
  for (const folder of folders) {
    chownSync(folder, nobody, nobody);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      chownSync(join(folder, name), nobody, nobody);
  }
  process.seteuid!(nobody);
  try {
    return await run();
  } finally {
    process.seteuid!(0);
  }
}
