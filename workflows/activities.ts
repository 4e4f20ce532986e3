import { ActivityCancellationType, proxyActivities } from "@temporalio/workflow";
import type { ExecuteInput, ExecuteResult, SessionActivities } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";

/**
 * Time-outs and retries of all activities, in one place. Heartbeats tell a dead worker within `heartbeatTimeoutMs`;
 * cancelling waits for the activity, so that what it had so far is kept.
 */
const common = {
  heartbeatTimeout: limits.heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** The model: the engine's back-off is the only retry; the activity says which failures end it. */
export const { model, compact } = proxyActivities<SessionActivities>({
  ...common,
  startToCloseTimeout: "6 hours",
  retry: { initialInterval: "1 second", backoffCoefficient: 2, maximumInterval: "1 minute" },
});

/** Quick and safe to repeat. A fault that stays (a bug) must not be retried for ever. */
export const { prepare, settle, verifyProof } = proxyActivities<SessionActivities>({
  ...common,
  startToCloseTimeout: "10 minutes",
  retry: {
    initialInterval: "100 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "5 seconds",
    maximumAttempts: 20,
  },
});

/** Nobody waits for it; after some minutes it is given up. */
export const { notify } = proxyActivities<SessionActivities>({
  ...common,
  startToCloseTimeout: "1 minute",
  retry: { initialInterval: "2 seconds", backoffCoefficient: 3, maximumInterval: "5 minutes", maximumAttempts: 8 },
});

/** The check of an answer runs as a command of bash does. */
export const { until } = proxyActivities<SessionActivities>({
  ...common,
  startToCloseTimeout: "30 days",
  retry: {
    initialInterval: "100 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "10 seconds",
    maximumAttempts: 1_000,
  },
});

/**
 * Tools, one activity type per tool name. A tool's own fault is a result, never a failure; what fails an attempt is the
 * loss of its worker, and the tool's journal decides what a further attempt may do.
 */
export const tools = proxyActivities<Record<string, (input: ExecuteInput) => Promise<ExecuteResult>>>({
  ...common,
  startToCloseTimeout: "30 days",
  retry: {
    initialInterval: "100 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "10 seconds",
    maximumAttempts: 1_000,
  },
});
