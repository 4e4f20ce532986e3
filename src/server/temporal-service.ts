import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, ConnectionOptions } from "@temporalio/client";

const day = 86_400;
/** Days that closed sessions are kept: `tempi prune` deletes, not the server. */
export const retentionDays = 3_650;

/** Connects (GetSystemInfo included); one attempt. The library is loaded here, because it takes 0.2 to 0.4 s. */
export async function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  const { Connection } = await import("@temporalio/client");
  return await Connection.connect({ connectTimeout: 2_000, ...options });
}

/** Tries every 20 ms until the server answers. Rejects when `signal` aborts. */
export async function waitForTemporal(address: string, signal: AbortSignal): Promise<Connection> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await connectTemporal({ address });
    } catch {
      await sleep(20, undefined, { signal });
    }
  }
}

/** Days that the namespace keeps closed workflows. */
export async function readRetentionDays(connection: Connection, namespace: string): Promise<number> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / day;
}

/** Sets the retention of the local server's namespace; start-dev would delete yesterday's sessions. */
export async function ensureRetention(connection: Connection, namespace: string): Promise<void> {
  if ((await readRetentionDays(connection, namespace)) === retentionDays) return;
  const seconds = retentionDays * day;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: seconds as unknown as Long } },
  });
}
/** The generated types want a Long, the encoder takes numbers below 2^53. */
type Long = NonNullable<
  NonNullable<
    NonNullable<
      Parameters<Connection["workflowService"]["updateNamespace"]>[0]["config"]
    >["workflowExecutionRetentionTtl"]
  >["seconds"]
>;

/** Names of search attributes that are missing or have another type than `wanted` (`{TempiState: "Keyword"}`). */
export async function wrongSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  // Numbers of temporal.api.enums.v1.IndexedValueType.
  const names = ["", "Text", "Keyword", "Int", "Double", "Bool", "Datetime", "KeywordList"];
  return Object.entries(wanted)
    .filter(([name, type]) => names[customAttributes?.[name] ?? 0] !== type)
    .map(([name]) => name);
}

/** Number of workflows that a visibility query matches. */
export async function countWorkflows(connection: Connection, namespace: string, query: string): Promise<number> {
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query });
  return Number(count ?? 0);
}
