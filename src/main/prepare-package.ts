import { mkdirSync } from "node:fs";
import { packageCache, workflowBundle } from "../worker/workflow-bundle.ts";

/**
 * Run by `npm ci` (script `prepare`): bundles the workflows and, by loading everything, fills the compile cache, so that the
 * first `tempi run` does not have to. Never fails an installation: the worker does the same at its first start.
 */
try {
  mkdirSync(packageCache, { recursive: true });
  await workflowBundle(packageCache);
  await import("./cli.ts");
  await import("./up.ts");
  await import("./supervisor.ts");
  await import("./worker-services.ts");
  await import("../worker/session-worker.ts");
} catch (error) {
  console.error(`tempi: preparing ahead did not work (${(error as Error).message}); the first start takes longer`);
}
