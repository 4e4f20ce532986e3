import { addUsage, noUsage, type StoredMessage, type ToolCall, toolCallsOf, type Usage } from "../agent/messages.ts";
import { type SessionInput, stateQuery, workflowIdOf } from "../protocol/session.ts";
import { type ClientContext, sessionHandle } from "./client-context.ts";
import type { SessionAccount } from "./contract.ts";
import { summaryOf } from "./list-sessions.ts";
import { type PendingRetry, retryIn } from "./pending-retry.ts";
import { type RunRecord, readRun } from "./read-history.ts";
import { livingWorker } from "./worker-state.ts";

const queryPatienceMs = 5_000;

/** Everything a session did, from its histories; what only the living run knows is added when a worker answers. */
export async function accountOf(
  context: ClientContext,
  sessionId: string,
  { recorded = false }: { recorded?: boolean } = {},
): Promise<SessionAccount> {
  const workflowId = workflowIdOf(sessionId);
  const description = await sessionHandle(context, sessionId).describe();
  const record = await readRun(context.client, workflowId, description.runId);
  const closed = description.status.name !== "RUNNING";
  const messages = [...(await earlierMessages(context, workflowId, record.input)), ...record.messages];
  // A run that was terminated still answers with what it last thought of itself.
  const trusted = !closed || description.status.name === "COMPLETED";
  const answers = !recorded && trusted && livingWorker(context.home);
  const live = answers ? await liveState(context, sessionId) : undefined;
  const summary = summaryOf(description);
  const retry = closed ? undefined : retryIn(description.raw);
  if (!live && !recorded && summary.state === "running") summary.state = "offline";
  else if (retry && summary.state === "running") summary.state = "retrying";
  const reason = terminationOf(record) ?? (retry ? retryText(retry) : live?.cause);
  return {
    summary,
    messages: closed ? withMissingResults(messages) : messages,
    usage: live?.usage ?? record.result?.carried.usage ?? usageOf(messages),
    turns: live?.turn ?? record.result?.carried.turn ?? record.lastTurn,
    ...(live ? { live } : {}),
    ...(reason ? { cause: reason } : {}),
    ...(live?.next ? { next: live.next } : {}),
    temporalUiPath: `/namespaces/${context.client.options.namespace}/workflows/${workflowId}/${description.runId}/timeline`,
  };
}

const retryText = ({ message, attempt, nextTryAt }: PendingRetry): string =>
  `${message} (try ${attempt}${nextTryAt ? `, next at ${new Date(nextTryAt).toLocaleTimeString()}` : ""})`;

/** The messages with one result for each call that was under way when the session was ended from outside. */
function withMissingResults(messages: StoredMessage[]): StoredMessage[] {
  const last = messages.findLastIndex(({ message }) => message.role === "assistant");
  const answer = messages[last]?.message;
  if (answer?.role !== "assistant" || answer.stopReason === "aborted") return messages;
  const left = messages.slice(last + 1);
  const results = toolCallsOf(answer).map((call, at): StoredMessage => {
    const found = left.findIndex(({ message }) => message.role === "toolResult" && message.toolCallId === call.id);
    return found < 0 ? missingResult(call, `missing-${last}-${at}`, answer.timestamp) : left.splice(found, 1)[0]!;
  });
  return [...messages.slice(0, last + 1), ...results, ...left];
}

const missingResult = (call: ToolCall, id: string, timestamp: number): StoredMessage => ({
  id,
  message: {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [
      {
        type: "text",
        text: "No result: the session was ended while this call was under way. It may have run, in part or whole.",
      },
    ],
    details: { settled: "ended" },
    isError: true,
    timestamp,
  },
});

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
