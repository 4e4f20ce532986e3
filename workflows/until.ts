import { isCancellation } from "@temporalio/workflow";
import type { CheckedAnswer, LoopState } from "../src/agent/loop.ts";
import { limits } from "../src/protocol/limits.ts";
import { untilCallId } from "../src/protocol/session.ts";
import { until } from "./activities.ts";
import { applicationFailureOf } from "./application-failure.ts";
import type { PortsContext } from "./loop-ports.ts";

/**
 * Runs the session's check on an answer; shown as a call of the answer's turn. It is content when the command
 * exits with 0; else the model reads how it failed, until the same failure has come too often.
 */
export async function checkAnswer(context: PortsContext, state: LoopState): Promise<CheckedAnswer | undefined> {
  const { settings, record, abort, input } = context;
  const command = settings.until;
  if (command === undefined) return undefined;
  const toolCallId = untilCallId(state.turn);
  const summary = command.replace(/\s+/g, " ").trim().slice(0, limits.summaryCharacters);
  const call = { toolCallId, toolName: "until", summary };
  const startedAt = Date.now();
  const end = (isError: boolean) =>
    record.emit({ type: "tool_execution_end", ...call, isError, durationMs: Date.now() - startedAt });
  record.emit({ type: "tool_execution_start", ...call });
  try {
    const { sessionId, cwd } = input;
    const model = `${settings.model.provider}/${settings.model.model}`;
    const running = abort.run(toolCallId, () =>
      until.executeWithOptions({ activityId: toolCallId, summary }, [
        { v: 1, sessionId, cwd, callId: toolCallId, command, model },
      ]),
    );
    const result = await Promise.race([running, abort.grace(limits.abortGraceMs)]);
    end(result?.exitCode !== 0);
    if (!result || abort.aborted) return { end: { reason: "aborted" } };
    if (!result.failed) {
      delete state.checkFailed;
      return undefined;
    }
    const { stored, how } = result.failed;
    const times = state.checkFailed?.how === how ? state.checkFailed.times + 1 : 1;
    state.checkFailed = { how, times };
    if (times < limits.sameCheckStop) return { stored };
    return { stored, end: { reason: "until", errorMessage: `${summary} failed the same way ${times} times in a row` } };
  } catch (error) {
    end(true);
    if (isCancellation(error)) return { end: { reason: "aborted" } };
    const failure = applicationFailureOf(error);
    if (!failure) throw error;
    return { end: { reason: "failed", errorMessage: `${summary} could not be run: ${failure.message}` } };
  }
}
