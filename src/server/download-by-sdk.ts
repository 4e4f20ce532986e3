/** Run as a program: lets the SDK download the Temporal CLI into the folder named by the first argument. */
import { mkdirSync } from "node:fs";
import { TestWorkflowEnvironment } from "@temporalio/testing";

const downloadDir = process.argv[2]!;
mkdirSync(downloadDir, { recursive: true });
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: "cached-download", downloadDir } },
  });
  await environment.teardown();
  process.exit(0);
} catch (error) {
  console.error((error as Error).message.split("\n")[0]);
  process.exit(1);
}
