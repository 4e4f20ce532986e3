import { ActivityFailure, ApplicationFailure, isCancellation } from "@temporalio/workflow";
import { keptTokensOf, needsCompaction } from "../src/agent/compaction.ts";
import { addUsage } from "../src/agent/messages.ts";
import { compact } from "./activities.ts";
import type { PortsContext } from "./loop-ports.ts";

const retryGrowth = 1.2;

/** Before a request: summarises when the window would not hold it. A failure is told and the request tried all the same. */
export async function compactIfNeeded(context: PortsContext, turn: number): Promise<void> {
  const { record, settings } = context;
  // After a failure not again at once: a summary that does not work must not cost a request in every turn.
  if (record.contextTokens < (record.compactionFailedAt ?? 0) * retryGrowth) return;
  if (needsCompaction(record.contextTokens, settings.model.contextWindow, settings.model.maxOutput))
    await compactNow(context, turn);
}

/** Summarises older messages. True when it worked: from then on the summary stands for them. */
export async function compactNow(context: PortsContext, turn: number): Promise<boolean> {
  const { record, settings, input, abort } = context;
  const tokensBefore = record.contextTokens;
  record.emit({ type: "compaction_start", tokensBefore });
  const activityId = `compact-${turn}`;
  const request = {
    v: 1 as const,
    sessionId: input.sessionId,
    cwd: input.cwd,
    turn,
    transcript: record.newMessages(),
    model: settings.model,
    ...(record.summary ? { summary: record.summary } : {}),
    // Where the window is unknown an overflow has shown that it is smaller than what stands there.
    keepTokens: Math.min(keptTokensOf(settings.model.contextWindow), Math.floor(tokensBefore / 2)),
  };
  try {
    const options = { activityId, summary: `${tokensBefore} tokens` };
    const { summary, upTo, tokensAfter, usage } = await abort.run(activityId, () =>
      compact.executeWithOptions(options, [request]),
    );
    record.summary = { id: summary.id, runId: record.runId, upTo };
    record.contextTokens = tokensAfter;
    record.compactionFailedAt = undefined;
    // Absent in histories from before it was counted.
    if (usage) record.usage = addUsage(record.usage, usage);
    record.emit({ type: "compaction_end", tokensBefore, tokensAfter, ...(usage ? { usage } : {}) });
    return true;
  } catch (error) {
    const errorMessage = isCancellation(error) ? "stopped" : messageOf(error);
    record.compactionFailedAt = tokensBefore;
    record.emit({ type: "compaction_end", tokensBefore, errorMessage });
    return false;
  }
}

function messageOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure || cause instanceof Error) return cause.message;
  return String(error);
}
