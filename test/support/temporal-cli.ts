import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { findOrDownloadCli } from "../../src/server/find-cli.ts";

/**
 * Path of a Temporal CLI for tests: TEMPI_TEMPORAL_CLI, `temporal` on PATH, else downloaded by the product itself into a
 * folder that all tests of this machine share.
 */
export async function temporalCli(): Promise<string> {
  const cache = join(tmpdir(), `tempi-test-cache-${userInfo().uid}`);
  const say = (line: string) => console.error(line);
  const found = await findOrDownloadCli({ environment: process.env, cache, say, yes: true });
  return found.path;
}
