import type { Client } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import type { temporal } from "@temporalio/proto";
import { limits } from "../protocol/limits.ts";

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The events of one run, page by page: a whole history can be larger than one gRPC message. */
export async function* historyEvents(
  client: Client,
  workflowId: string,
  runId: string,
  maximumPageSize: number = limits.historyPageSize,
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}

/** The first payload as a value; undefined when there is none or it is not JSON of ours. */
export function decodeFirst<T>(payloads: temporal.api.common.v1.IPayloads | null | undefined): T | undefined {
  const payload = payloads?.payloads?.[0];
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<T>(payload);
  } catch {
    return undefined;
  }
}
