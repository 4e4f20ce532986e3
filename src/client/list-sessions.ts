import type { WorkflowExecutionInfo } from "@temporalio/client";
import type { SessionStateName } from "../agent/events.ts";
import { groupNames, groupOf } from "../agent/session-groups.ts";
import { type SessionMemo, sessionIdPattern, sessionWorkflowType } from "../protocol/session.ts";
import { type ClientContext, SessionNotFound } from "./client-context.ts";
import type { SessionSummary } from "./contract.ts";
import { pendingRetry } from "./pending-retry.ts";
import { livingWorker } from "./worker-state.ts";

const placeOf = ({ state }: SessionSummary): number => groupNames.indexOf(groupOf(state));
/** Running sessions asked whether they wait for a next try; each costs a call. */
const describedAtMost = 50;

/** Newest run of each session: by group, then newest first. */
export async function listSessions(context: ClientContext): Promise<SessionSummary[]> {
  const newest = new Map<string, WorkflowExecutionInfo>();
  for await (const info of context.client.workflow.list({ query: `WorkflowType = '${sessionWorkflowType}'` })) {
    const known = newest.get(info.workflowId);
    if (!known || known.startTime < info.startTime) newest.set(info.workflowId, info);
  }
  const summaries = [...newest.values()].map(summaryOf);
  const workerAway = livingWorker(context.home) === undefined;
  const running = summaries.filter(({ state }) => state === "running");
  if (workerAway) for (const summary of running) summary.state = "offline";
  else {
    await Promise.all(
      running.slice(0, describedAtMost).map(async (summary) => {
        if (await pendingRetry(context, summary.id).catch(() => undefined)) summary.state = "retrying";
      }),
    );
  }
  return summaries.sort((a, b) => placeOf(a) - placeOf(b) || b.startedAt - a.startedAt);
}

export function summaryOf(
  info: Pick<
    WorkflowExecutionInfo,
    "workflowId" | "runId" | "memo" | "searchAttributes" | "status" | "startTime" | "closeTime"
  >,
): SessionSummary {
  const memo = (info.memo ?? {}) as Partial<SessionMemo>;
  const attribute = (name: string) => (info.searchAttributes as Record<string, unknown[] | undefined>)[name]?.[0];
  const stored = String(attribute("TempiState") ?? "running") as SessionStateName;
  return {
    id: info.workflowId.replace(/^session-/, ""),
    runId: info.runId,
    state: stateOf(info.status.name, stored),
    title: memo.title ?? "",
    cwd: memo.cwd ?? "",
    repository: String(attribute("TempiRepo") ?? ""),
    model: memo.model ?? "",
    waiting: info.status.name === "RUNNING" ? Number(attribute("TempiWaiting") ?? 0) : 0,
    startedAt: info.startTime.getTime(),
    ...(memo.usage ? { usage: memo.usage } : {}),
    ...(info.closeTime ? { closedAt: info.closeTime.getTime() } : {}),
  };
}

/** The engine's word goes first: a run that was terminated cannot have said so itself. */
function stateOf(status: string, stored: SessionStateName): SessionStateName {
  if (status === "RUNNING" || status === "CONTINUED_AS_NEW") return stored;
  if (status === "COMPLETED") return stored;
  if (status === "FAILED" || status === "TIMED_OUT") return "failed";
  return "ended";
}

/** Full id for a unique prefix. */
export async function resolveSession(context: ClientContext, prefix: string): Promise<string> {
  if (!/^[23456789abcdefghjkmnpqrstvwxyz]{1,6}$/.test(prefix)) {
    throw new SessionNotFound(`no such session: "${prefix.slice(0, 40)}"`);
  }
  const sessions = (await listSessions(context)).sort((a, b) => b.startedAt - a.startedAt);
  const fitting = sessions.filter(({ id }) => id.startsWith(prefix));
  if (fitting.length === 1) return fitting[0]!.id;
  if (fitting.length === 0) throw new SessionNotFound(`no such session: "${prefix}"`);
  if (sessionIdPattern.test(prefix)) return prefix;
  throw new SessionNotFound(`"${prefix}" fits ${fitting.length} sessions`, fitting);
}
