import type { ExecuteInput, ExecuteResult, SessionActivities } from "../src/protocol/activities.ts";
import { compactActivity } from "./compact.ts";
import { executeActivity } from "./execute.ts";
import { modelActivity } from "./model.ts";
import { notifyActivity } from "./notify.ts";
import { prepareActivity } from "./prepare.ts";
import type { ActivityServices } from "./services.ts";
import { settleActivity } from "./settle.ts";
import { untilActivity } from "./until.ts";
import { verifyProofActivity } from "./verify-proof.ts";

/**
 * Every activity of a worker. `default` takes each other type: the type of a call is the name of its tool, so that the Temporal
 * UI's timeline names it, and extensions add tools while the worker runs.
 */
export function createActivities(
  services: ActivityServices,
): SessionActivities & { default: (input: ExecuteInput) => Promise<ExecuteResult> } {
  return {
    model: modelActivity(services),
    prepare: prepareActivity(services),
    compact: compactActivity(services),
    settle: settleActivity(services),
    verifyProof: verifyProofActivity(services),
    notify: notifyActivity(services),
    until: untilActivity(services),
    default: executeActivity(services),
  };
}
