import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { activityInfo } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { type AssistantMessage, type Message, type StoredMessage, toolCallsOf } from "../src/agent/messages.ts";
import { loadContextFiles } from "../src/prompt/context-files.ts";
import { loadSkills } from "../src/prompt/skills.ts";
import { summaryMessageText } from "../src/prompt/summary-prompt.ts";
import { buildSystemPrompt } from "../src/prompt/system-prompt.ts";
import { allExtensionTools, type ModelInput, type ModelResult } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { ModelError } from "../src/providers/contract.ts";
import { askModel } from "./ask-model.ts";
import { type Attempt, runAttempt, whileHere, workerGone } from "./attempt.ts";
import { boundErrorText, sizeOf, wellFormed } from "./bounds.ts";
import { FailureBudget, modelFailure } from "./failures.ts";
import { hasTargets } from "./notify.ts";
import { prepareCalls } from "./preflight.ts";
import { type ActivityServices, WorkerShutdown } from "./services.ts";
import { withoutStack } from "./without-stack.ts";

/** Message and prepared calls together stay well below the engine's 2 MiB for one result. */
const preparedAheadBytes = 640 * 1024;

/** One model response: reads the conversation by reference, streams the answer, returns it whole. */
export function modelActivity(services: ActivityServices) {
  const budget = new FailureBudget();
  return async (input: ModelInput): Promise<ModelResult> =>
    await runAttempt(services, input.sessionId, `model:${input.turn}`, async (attempt) => {
      const { workflowExecution, activityId } = activityInfo();
      const key = `${workflowExecution!.runId}/${activityId}`;
      try {
        const result = await ask(services, input, attempt);
        budget.forget(key);
        return result;
      } catch (error) {
        if (error instanceof ApplicationFailure) throw forSomebody(services, error);
        // A fault of our own is retried like one of the provider's, within the same bounds: never for ever.
        const known =
          error instanceof ModelError ? error : new ModelError("transient", `tempi failed: ${error}`, { cause: error });
        const failure = modelFailure(known, budget.count(key, known.kind));
        // A person's `retry` of a turn that gave up starts with all its tries.
        if (failure.nonRetryable) budget.forget(key);
        throw forSomebody(services, failure);
      }
    });
}

/** Tells the workflow that somebody is to hear of it, where it ends the tries: only this side knows the configuration. */
function forSomebody(services: ActivityServices, failure: ApplicationFailure): ApplicationFailure {
  if (!failure.nonRetryable || !hasTargets(services)) return failure;
  const { type, message, details } = failure;
  return withoutStack({ type: type!, message, nonRetryable: true, details: [details?.[0] ?? null, true] });
}

async function ask(services: ActivityServices, input: ModelInput, { signal, live }: Attempt): Promise<ModelResult> {
  const { cwd, model } = input;
  if (!existsSync(cwd)) {
    throw withoutStack({
      type: "Workspace.Gone",
      message: `the workspace ${cwd} is not there`,
      nonRetryable: true,
      details: [`put ${cwd} back, then: tempi retry ${input.sessionId}`],
    });
  }
  const messages = await whileHere(signal, conversation(services, input));
  const { tools: all, extensionTools, faults } = await services.toolset(cwd);
  const ofExtensions = input.activeTools.includes(allExtensionTools) ? extensionTools : [];
  const tools = all.filter(({ name }) => input.activeTools.includes(name) || ofExtensions.includes(name));
  const customPrompt = input.systemPromptFile ? await readCustomPrompt(input.systemPromptFile) : undefined;
  const systemPrompt = buildSystemPrompt({
    tools,
    cwd,
    date: input.date,
    contextFiles: await loadContextFiles(cwd),
    skills: await loadSkills(cwd, dirname(services.home.configFile)),
    ...(customPrompt ? { customPrompt } : {}),
  });
  const message = await askModel(
    services,
    model,
    { systemPrompt, messages, tools, thinking: input.thinking },
    { signal, onDelta: (delta) => live.delta(delta), summarised: input.summary !== undefined },
  );
  // A stream cut because this worker stops was not stopped by a person: another worker asks again.
  if (message.stopReason === "aborted" && signal.reason instanceof WorkerShutdown) throw workerGone();
  const stored: StoredMessage<AssistantMessage> = { id: `a-${randomUUID()}`, message: wellFormed(message) };
  if (sizeOf(stored) > limits.modelMessageBytes) {
    throw new ModelError(
      "invalid",
      `the model's answer is over ${limits.modelMessageBytes} bytes, more than a message may hold`,
    );
  }
  services.transcripts.keep(stored);
  const offered = tools.map(({ name }) => name);
  const prepared = signal.aborted ? undefined : await prepareAhead(services, input, stored, offered, messages, signal);
  const missing = input.activeTools.filter(
    (name) => name !== allExtensionTools && !all.some((tool) => tool.name === name),
  );
  const unknown = missing.map((name) => `there is no tool "${name}": tempi set ${input.sessionId} --tools -${name}`);
  const notices = [...services.rules(cwd).notices, ...faults, ...unknown]
    .slice(0, 10)
    .map((fault) => boundErrorText(fault).slice(0, 500));
  const promptHash = createHash("sha256").update(systemPrompt).digest("hex").slice(0, 16);
  return {
    v: 1,
    stored,
    offered: { tools: offered, promptHash },
    ...(notices.length > 0 ? { notices } : {}),
    ...(prepared ? { prepared } : {}),
    ...(hasTargets(services) ? { notify: true as const } : {}),
  };
}

/** A missing file blocks the turn: going on with another prompt than was asked for would be worse. */
async function readCustomPrompt(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw withoutStack({
      type: "Workspace.Gone",
      message: `the system prompt cannot be read: ${boundErrorText((error as Error).message)}`,
      nonRetryable: true,
      details: [`put ${file} back, then tempi retry`],
    });
  }
}

/** What the model is sent: the summary, where there is one, and the messages after it. */
async function conversation(
  services: ActivityServices,
  { sessionId, transcript, summary }: ModelInput,
): Promise<Message[]> {
  const messages = await services.transcripts.resolve(sessionId, transcript);
  if (!summary) return messages;
  const text = summaryMessageText(await services.transcripts.summary(sessionId, summary));
  return [{ role: "user", content: [{ type: "text", text }], timestamp: 0 }, ...messages.slice(summary.upTo)];
}

/**
 * Prepares the answer's calls in the same activity: one round through the engine less for each turn. Whatever goes wrong,
 * the workflow asks for it again by itself.
 */
async function prepareAhead(
  services: ActivityServices,
  { sessionId, cwd, turn, preflight, model: asked }: ModelInput,
  { message }: StoredMessage<AssistantMessage>,
  offered: string[],
  before: Message[],
  signal: AbortSignal,
): Promise<ModelResult["prepared"]> {
  try {
    const positions = toolCallsOf(message).map((_call, at) => at + 1);
    if (positions.length === 0 || positions.length > limits.callsPerAnswer || message.stopReason === "length")
      return undefined;
    const model = `${asked.provider}/${asked.model}`;
    const request = { sessionId, cwd, model, turn, offered, positions, settings: preflight };
    const calls = await prepareCalls(services, request, message, async () => [...before, message], signal);
    // Stopped meanwhile: what the hooks would have said is not known.
    if (signal.aborted) return undefined;
    return sizeOf(calls) > preparedAheadBytes ? undefined : { settings: preflight, calls };
  } catch {
    return undefined;
  }
}
