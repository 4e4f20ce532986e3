import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { inject } from "vitest";
import { workflowIdOf } from "../../src/protocol/session.ts";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "..", "replay", "histories");
/** Larger ones say nothing new and weigh on every clone. */
const largestBytes = 60_000;

/** Writes the histories of a test's sessions, all their runs, to the corpus (`npm run record-histories`). */
export async function recordHistories(address: string, sessionIds: string[], testName: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const slug = testName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60);
  let number = 0;
  for (const sessionId of sessionIds) {
    const workflowId = workflowIdOf(sessionId);
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      const show = ["workflow", "show", "--address", address, "-w", workflowId, "-r", runId, "-o", "json"];
      const { stdout } = await run(inject("temporalCli"), show, { maxBuffer: 64 * 1024 * 1024 });
      const text = JSON.stringify(JSON.parse(stdout));
      if (text.length <= largestBytes) writeFileSync(join(folder, `${slug}-${++number}.json`), `${text}\n`);
    }
  }
  await connection.close();
}
