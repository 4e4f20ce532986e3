import type { WorkflowHandle } from "@temporalio/client";
import type { ApprovalLevel, SessionRule } from "../agent/approval.ts";
import { noUsage } from "../agent/messages.ts";
import { type CarriedState, eventsQuery, type SessionInput } from "../protocol/session.ts";
import type { ClientContext } from "./client-context.ts";
import { type RunRecord, readRun } from "./read-history.ts";

/** Input of a run that goes on from a closed one. */
export async function reopeningInput(context: ClientContext, workflowId: string, runId: string): Promise<SessionInput> {
  const record = await readRun(context.client, workflowId, runId);
  if (!record.input) throw new Error("the history of this session does not begin with an input of ours");
  const carried =
    record.result?.carried ??
    (await carriedOfBroken(context.client.workflow.getHandle(workflowId, runId), runId, record));
  const { turnsThisPrompt: _, ...rest } = carried;
  return { ...record.input, previous: { runId, carried: rest } };
}

/** A terminated run could not say what it carries; its history tells nearly all of it. */
async function carriedOfBroken(handle: WorkflowHandle, runId: string, record: RunRecord): Promise<CarriedState> {
  const before = record.input!.previous?.carried;
  const count = record.messages.length;
  const page = await handle.query(eventsQuery, 0).catch(() => undefined);
  // Without a worker the number of events is unknown; a gap in the numbers is harmless, a repeated number is not.
  const lastEvent = page && !("error" in page) ? page.last : (before?.lastEvent ?? 0) + 100_000;
  const taken = new Set(record.messages.map(({ id }) => id));
  const waiting = record.prompts
    .filter(({ id }) => !taken.has(id))
    .map(({ id, delivery }) => ({ id, delivery, runId }));
  const asked = record.lastModelInput;
  return {
    segments: [...(before?.segments ?? []), ...(count > 0 ? [{ runId, from: 0, to: count }] : [])],
    settings: settingsOf(record),
    queue: [...(before?.queue ?? []).filter(({ id }) => !taken.has(id)), ...waiting],
    // Their texts are known of what came with this run; of what was remembered in it only the key.
    remembered: rememberedOf(before?.remembered ?? [], asked?.preflight.remembered),
    ...(asked?.preflight.startedAt ? { startedAt: asked.preflight.startedAt } : {}),
    turn: Math.max(record.lastTurn, before?.turn ?? 0),
    lastEvent,
    usage: before?.usage ?? noUsage(),
    ...(asked?.summary ? { summary: asked.summary } : {}),
    seenSignals: record.prompts.map(({ id }) => id),
    state: "ended",
  };
}

/** Settings as the last model input had them: a person may have changed them since the start. */
function settingsOf({ input, lastModelInput: asked, configuredApproval }: RunRecord): SessionInput["settings"] {
  const settings = input!.previous?.carried.settings ?? input!.settings;
  if (!asked) return { ...settings, approval: stricter(settings.approval, configuredApproval) };
  const { model, thinking, activeTools, preflight } = asked;
  return { ...settings, model, thinking, activeTools, approval: stricter(preflight.approval, configuredApproval) };
}

/** Whether the signal was proved is not known here, so it may only make the session ask more. */
function stricter(level: ApprovalLevel, asked: ApprovalLevel | undefined): ApprovalLevel {
  const order: ApprovalLevel[] = ["ask", "edits", "auto"];
  return asked && order.indexOf(asked) < order.indexOf(level) ? asked : level;
}

const rememberedOf = (before: SessionRule[], keys: string[] | undefined): SessionRule[] =>
  keys?.map((key) => before.find((rule) => rule.key === key) ?? { key, text: "allowed before", by: "", at: 0 }) ??
  before;
