import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, ConnectionOptions } from "@temporalio/client";
import { ServerError } from "./errors.ts";

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

/** What is wrong with a Temporal address, in words: unreachable, not Temporal, namespace unknown. ≤ `timeoutMs`. */
export async function checkTemporal(
  options: ConnectionOptions,
  namespace: string,
  timeoutMs = 5_000,
): Promise<ServerError | undefined> {
  const address = options.address ?? "";
  let connection: Connection;
  try {
    connection = await connectTemporal({ ...options, connectTimeout: timeoutMs });
  } catch (error) {
    const text = (error as Error).message;
    return /protocol|HTTP\/1|PROTOCOL_ERROR|Received HTTP/i.test(`${text} ${(error as Error).cause}`)
      ? new ServerError(`${address} answers, but not as a Temporal server`, { next: "check the port", cause: error })
      : new ServerError(`no Temporal server answers at ${address}`, { next: "tempi doctor", cause: error });
  }
  try {
    await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return undefined;
  } catch (error) {
    return new ServerError(`the Temporal server at ${address} has no namespace "${namespace}" for you`, {
      next: "check the namespace of the profile",
      cause: error,
    });
  } finally {
    await connection.close();
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
