import { randomUUID } from "node:crypto";
import { activityInfo } from "@temporalio/activity";
import { cutIndex, estimateTokens } from "../src/agent/compaction.ts";
import { type Message, textOf, type Usage } from "../src/agent/messages.ts";
import { summaryRequest, summarySystemPrompt } from "../src/prompt/summary-prompt.ts";
import type { CompactInput, CompactResult } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { ModelError } from "../src/providers/contract.ts";
import { askModel } from "./ask-model.ts";
import { runAttempt, whileHere, workerGone } from "./attempt.ts";
import { sizeOf, wellFormed } from "./bounds.ts";
import { FailureBudget, modelFailure } from "./failures.ts";
import { type ActivityServices, WorkerShutdown } from "./services.ts";

/**
 * Summarises all but the newest messages. Nothing of the transcript changes: the result says from which message on the
 * conversation is sent word for word, after the summary. A summary that was cut off or is empty fails the attempt.
 */
export function compactActivity(services: ActivityServices) {
  const budget = new FailureBudget();
  return async (input: CompactInput): Promise<CompactResult> =>
    await runAttempt(services, input.sessionId, `compact:${input.turn}`, async ({ signal, live }) => {
      const key = `${activityInfo().workflowExecution!.runId}/${activityInfo().activityId}`;
      try {
        const { earlier, from, messages } = await whileHere(signal, conversation(services, input));
        const cut = cutIndex(messages, input.keepTokens);
        if (cut === 0)
          throw new ModelError(
            "invalid",
            "nothing can be summarised: the newest messages alone fill the model's window",
          );
        const { text, usage } = await summarise(
          services,
          input,
          messages.slice(0, cut),
          earlier,
          signal,
          live.delta.bind(live),
        );
        const summary = { id: `c-${randomUUID()}`, text };
        services.transcripts.keepSummary(summary);
        budget.forget(key);
        const tokensAfter =
          Math.ceil(text.length / 4) + messages.slice(cut).reduce((sum, message) => sum + estimateTokens(message), 0);
        return { v: 1, summary, upTo: from + cut, tokensAfter, usage };
      } catch (error) {
        if (signal.reason instanceof WorkerShutdown) throw workerGone();
        const known = error instanceof ModelError ? error : new ModelError("transient", `tempi failed: ${error}`);
        const failure = modelFailure(known, budget.count(key, known.kind), limits.compactionTries);
        if (failure.nonRetryable) budget.forget(key);
        throw failure;
      }
    });
}

/** Messages that are still sent word for word, the notes before them, and the index of the first of them. */
async function conversation(services: ActivityServices, { sessionId, transcript, summary }: CompactInput) {
  const messages = await services.transcripts.resolve(sessionId, transcript);
  const earlier = summary ? await services.transcripts.summary(sessionId, summary) : undefined;
  const from = summary?.upTo ?? 0;
  return { earlier, from, messages: messages.slice(from) };
}

async function summarise(
  services: ActivityServices,
  { model }: CompactInput,
  messages: Message[],
  earlier: string | undefined,
  signal: AbortSignal,
  onDelta: Parameters<ActivityServices["streamAssistant"]>[1]["onDelta"],
): Promise<{ text: string; usage: Usage }> {
  const answer = await askModel(
    services,
    model,
    {
      systemPrompt: summarySystemPrompt,
      messages: [
        { role: "user", content: [{ type: "text", text: summaryRequest(messages, earlier) }], timestamp: Date.now() },
      ],
      tools: [],
      thinking: "off",
    },
    { signal, onDelta },
  );
  const text = wellFormed(textOf(answer.content)).trim();
  if (answer.stopReason !== "stop" || text === "" || sizeOf(text) > limits.resultBytes) {
    throw new ModelError(
      "transient",
      `the summary of the conversation was not usable (${answer.stopReason}, ${text.length} characters)`,
    );
  }
  return { text, usage: answer.usage };
}
