import type { AssistantMessage } from "../src/agent/messages.ts";
import type { PrepareInput, PrepareResult } from "../src/protocol/activities.ts";
import { runAttempt, whileHere } from "./attempt.ts";
import { prepareCalls } from "./preflight.ts";
import type { ActivityServices } from "./services.ts";

/** The preflight as an activity of its own: for edited arguments, and where the model's activity did not do it. */
export const prepareActivity =
  (services: ActivityServices) =>
  async (input: PrepareInput): Promise<PrepareResult> =>
    await runAttempt(services, input.sessionId, `prepare:${input.turn}`, async ({ signal }) => {
      const { sessionId, assistant: reference } = input;
      const { runId, messageId } = reference;
      const reading = services.transcripts.find(sessionId, runId, messageId);
      const assistant = (await whileHere(signal, reading)) as AssistantMessage;
      const readMessages = () => services.transcripts.upTo(sessionId, runId, messageId);
      return { v: 1, calls: await prepareCalls(services, input, assistant, readMessages, signal) };
    });
