import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that goes when the test is over. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tempi-${name}-`));
  // Retries: a process that was just killed may still be writing.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
