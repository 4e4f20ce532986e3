import { Client, Connection } from "@temporalio/client";
import proto from "@temporalio/proto";

export interface HistorySize {
  events: number;
  bytes: number;
  /** Bytes of the events from one model request to the next, in order. */
  bytesPerTurn: number[];
}

/** Sizes of a workflow's newest run, as encoded for the wire. */
export async function historySizeOf(address: string, namespace: string, workflowId: string): Promise<HistorySize> {
  const connection = await Connection.connect({ address });
  try {
    const history = await new Client({ connection, namespace }).workflow.getHandle(workflowId).fetchHistory();
    const events = history.events ?? [];
    const bytesPerTurn: number[] = [];
    let bytes = 0;
    for (const event of events) {
      const size = proto.temporal.api.history.v1.HistoryEvent.encode(event).finish().length;
      bytes += size;
      if (event.activityTaskScheduledEventAttributes?.activityType?.name === "model") bytesPerTurn.push(0);
      if (bytesPerTurn.length > 0) bytesPerTurn[bytesPerTurn.length - 1]! += size;
    }
    return { events: events.length, bytes, bytesPerTurn };
  } finally {
    await connection.close();
  }
}
