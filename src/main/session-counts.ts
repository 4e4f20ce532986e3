import type { Connection } from "@temporalio/client";
import { sessionWorkflowType } from "../protocol/session.ts";
import type { TemporalTarget } from "../server/resolve-address.ts";
import { connectTemporal, countWorkflows } from "../server/temporal-service.ts";

const openSessions = `WorkflowType = "${sessionWorkflowType}" AND ExecutionStatus = "Running"`;
/** Sessions whose worker has something in hand. Waiting and idle ones lose nothing by a new worker. */
const busySessions = `${openSessions} AND TempiState = "running"`;

/** Counts sessions by visibility. Rejects while the server does not answer. */
export interface SessionCounter {
  open(): Promise<number>;
  busy(): Promise<number>;
  close(): Promise<void>;
}

/** Counts over the supervisor's connection, or for a named server over one of its own, made when first needed. */
export function sessionCounter(ownConnection: () => Connection | undefined, target: TemporalTarget): SessionCounter {
  let named: Connection | undefined;
  const connection = async (): Promise<Connection> => {
    if (target.kind === "named") {
      named ??= await connectTemporal(target.connection);
      return named;
    }
    const own = ownConnection();
    if (!own) throw new Error("the Temporal server is not up");
    return own;
  };
  const namespace = target.kind === "named" ? target.namespace : "default";
  const count = async (query: string) => {
    const open = await connection();
    return await open.withDeadline(Date.now() + 5_000, () => countWorkflows(open, namespace, query));
  };
  return {
    open: () => count(openSessions),
    busy: () => count(busySessions),
    close: async () => await named?.close(),
  };
}
