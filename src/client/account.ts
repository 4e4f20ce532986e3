import { addUsage, noUsage, type StoredMessage, type Usage } from "../agent/messages.ts";
import { type SessionInput, stateQuery, workflowIdOf } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { SessionAccount } from "./contract.ts";
import { summaryOf } from "./list-sessions.ts";
import { type RunRecord, readRun } from "./read-history.ts";
import { livingWorker } from "./worker-state.ts";

const queryPatienceMs = 5_000;

/** Everything a session did, from its histories; what only the living run knows is added when a worker answers. */
export async function accountOf(context: ClientContext, sessionId: string): Promise<SessionAccount> {
  const workflowId = workflowIdOf(sessionId);
  const description = await sessionHandle(context, sessionId).describe();
  const record = await readRun(context.client, workflowId, description.runId);
  const messages = [...(await earlierMessages(context, workflowId, record.input)), ...record.messages];
  const live = livingWorker(context.home) ? await liveState(context, sessionId) : undefined;
  const summary = summaryOf(description);
  if (!live && summary.state === "running") summary.state = "offline";
  const reason = terminationOf(record) ?? live?.cause;
  return {
    summary,
    messages,
    usage: live?.usage ?? usageOf(messages),
    turns: live?.turn ?? record.result?.carried.turn ?? record.lastTurn,
    ...(live ? { live } : {}),
    ...(reason ? { cause: reason } : {}),
    ...(live?.next ? { next: live.next } : {}),
    temporalUiPath: `/namespaces/${context.client.options.namespace}/workflows/${workflowId}/${description.runId}/timeline`,
  };
}

async function earlierMessages(
  context: ClientContext,
  workflowId: string,
  input: SessionInput | undefined,
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (const { runId, from, to } of input?.previous?.carried.segments ?? []) {
    // A run that was deleted is missing from the account; the rest of it is still true.
    const run = await readRun(context.client, workflowId, runId).catch(() => undefined);
    messages.push(...(run?.messages.slice(from, to) ?? []));
  }
  return messages;
}

async function liveState(context: ClientContext, sessionId: string) {
  const handle = sessionHandle(context, sessionId);
  const state = await context.client
    .withDeadline(Date.now() + queryPatienceMs, () => handle.query(stateQuery))
    .catch(() => undefined);
  return state && !("error" in state) ? state : undefined;
}

function terminationOf(record: RunRecord): string | undefined {
  if (!record.terminated) return undefined;
  return `terminated by ${record.terminated.by || "someone"}${record.terminated.reason ? `: ${record.terminated.reason}` : ""}`;
}

const usageOf = (messages: StoredMessage[]): Usage =>
  messages.reduce(
    (sum, { message }) => (message.role === "user" || !message.usage ? sum : addUsage(sum, message.usage)),
    noUsage(),
  );
