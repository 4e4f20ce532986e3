/** Program of the re-attachment tests: runs the bash tool as a worker would, to be killed in the middle. */

import type { ToolContext } from "../../src/agent/tool.ts";
import { bashTool } from "../../src/tools/bash.ts";

const { params, ctx } = JSON.parse(process.argv[2]!) as {
  params: { command: string; timeout?: number };
  ctx: Omit<ToolContext, "withFileMutex">;
};
const signal = new AbortController();
process.on("SIGUSR2", () => signal.abort(Object.assign(new Error("going"), { name: "WorkerShutdown" })));
try {
  const result = await bashTool.execute("provider-id", params, signal.signal, () => process.stdout.write("update\n"), {
    ...ctx,
    withFileMutex: (_path, fn) => fn(),
  });
  process.stdout.write(`result ${JSON.stringify(result)}\n`);
} catch (error) {
  process.stdout.write(`thrown ${(error as Error).name}\n`);
}
