import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { inject } from "vitest";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "..", "replay", "histories");
/** Larger ones say nothing new and weigh on every clone. */
const largestBytes = 60_000;

/** Writes the histories of all that a test's worker ran, all runs, to the corpus (`npm run record-histories`). */
export async function recordHistories(address: string, taskQueue: string, testName: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const slug = testName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60);
  let number = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query: `TaskQueue = '${taskQueue}'` })) {
    const show = ["workflow", "show", "--address", address, "-w", workflowId, "-r", runId, "-o", "json"];
    const { stdout } = await run(inject("temporalCli"), show, { maxBuffer: 64 * 1024 * 1024 });
    const text = JSON.stringify(JSON.parse(stdout));
    if (text.length <= largestBytes) writeFileSync(join(folder, `${slug}-${++number}.json`), `${text}\n`);
  }
  await connection.close();
}
