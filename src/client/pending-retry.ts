import type { temporal } from "@temporalio/proto";
import { workerGoneFailure } from "../protocol/activities.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";

/** An attempt that failed and waits for its next try. Times in milliseconds since 1970. */
export interface PendingRetry {
  what: string;
  message: string;
  attempt: number;
  nextTryAt?: number;
}

/** What a session waits to try again, if it does. Lost workers are not told as failures. */
export async function pendingRetry(context: ClientContext, sessionId: string): Promise<PendingRetry | undefined> {
  const { raw } = await sessionHandle(context, sessionId).describe();
  return retryIn(raw);
}

export function retryIn(
  raw: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse,
): PendingRetry | undefined {
  for (const pending of raw.pendingActivities ?? []) {
    const failure = pending.lastFailure;
    if (!failure || failure.applicationFailureInfo?.type === workerGoneFailure || failure.timeoutFailureInfo) continue;
    const next = pending.nextAttemptScheduleTime ?? pending.scheduledTime;
    const nextTryAt = next ? Number(next.seconds) * 1000 + Number(next.nanos ?? 0) / 1e6 : undefined;
    return {
      what: pending.activityType?.name ?? "",
      message: failure.message ?? "",
      attempt: pending.attempt ?? 0,
      ...(nextTryAt ? { nextTryAt } : {}),
    };
  }
  return undefined;
}
