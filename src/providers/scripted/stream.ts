import { setTimeout as sleep } from "node:timers/promises";
import type { AssistantMessage, Message, Usage } from "../../agent/messages.ts";
import { noUsage, textOf } from "../../agent/messages.ts";
import { ModelError, type ModelRequest, type StreamAssistant } from "../contract.ts";
import { parseArguments } from "../openai-completions/arguments.ts";
import { numbered, readScript, type ScriptedAnswer } from "./script.ts";

/** Failures already given, by script and answer: only this process can know how often it was asked. */
const failuresGiven = new Map<string, number>();

/**
 * The offline model: `model` names a JSON file of answers (`scripted:` before it is dropped). The answer is the one after
 * those already in the conversation, so it needs no memory and survives any restart; after the last one it says "done".
 */
export const streamScripted: StreamAssistant = async (request, { signal, onDelta }) => {
  const file = request.model.replace(/^scripted:/, "");
  const answers = await readScript(file);
  const index = request.messages.filter(isAnswer).length;
  const answer = numbered(answers[index] ?? { text: "done" }, index);
  const message = emptyMessage(request);
  const aborted = (): AssistantMessage => ({
    ...message,
    content: message.content.filter(({ type }) => type !== "toolCall"),
    stopReason: "aborted",
  });
  try {
    await sleep(answer.delayMs ?? 0, undefined, { signal });
    checkExpectation(answer, request.messages.at(-1), index);
    failIfScripted(answer, `${file}#${index}`);
    for (const [kind, text] of [
      ["thinking", answer.thinking],
      ["text", answer.text],
    ] as const) {
      if (!text) continue;
      const block = message.content.length;
      // Word by word, white space kept with the word before it.
      for (const delta of text.match(/\s*\S+\s*|\s+/g) ?? []) {
        appendText(message, block, kind, delta);
        onDelta({ index: block, kind, delta });
        await sleep(answer.chunkMs ?? 0, undefined, { signal });
      }
    }
    for (const [position, call] of (answer.calls ?? []).entries()) {
      const given = call.arguments ?? {};
      message.content.push({
        type: "toolCall",
        id: `scripted-${index}-${position}`,
        name: call.name,
        // As an endpoint's text would be read, with the same refusals.
        ...parseArguments(JSON.stringify(given)),
      });
      onDelta({ index: message.content.length - 1, kind: "toolCall", name: call.name, delta: JSON.stringify(given) });
      await sleep(answer.chunkMs ?? 0, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return aborted();
    throw error;
  }
  const stopReason = answer.stopReason ?? (answer.calls?.length ? "toolUse" : "stop");
  return { ...message, stopReason, usage: usageOf(answer, request) };
};

const isAnswer = (message: Message): boolean =>
  message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";

const emptyMessage = ({ provider, model }: ModelRequest): AssistantMessage => ({
  role: "assistant",
  content: [],
  provider,
  model,
  usage: noUsage(),
  stopReason: "stop",
  timestamp: Date.now(),
});

function appendText(message: AssistantMessage, at: number, kind: "text" | "thinking", delta: string): void {
  const block = message.content[at];
  if (block?.type === "text") block.text += delta;
  else if (block?.type === "thinking") block.thinking += delta;
  else message.content.push(kind === "text" ? { type: "text", text: delta } : { type: "thinking", thinking: delta });
}

function failIfScripted({ error }: ScriptedAnswer, place: string): void {
  if (!error) return;
  const given = failuresGiven.get(place) ?? 0;
  if (error.times !== undefined && given >= error.times) return;
  failuresGiven.set(place, given + 1);
  const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
  throw new ModelError(error.kind, error.message ?? `scripted failure (${error.kind})`, wait);
}

function checkExpectation({ expect }: ScriptedAnswer, last: Message | undefined, index: number): void {
  if (!expect) return;
  const text = last ? textOf(last.content) : "";
  if (expect.lastIncludes !== undefined && !text.includes(expect.lastIncludes)) {
    throw new ModelError(
      "invalid",
      `answer ${index} expects "${expect.lastIncludes}" in the last message, which is: ${text.slice(0, 500)}`,
    );
  }
  const isError = last?.role === "toolResult" && last.isError;
  if (expect.lastIsError !== undefined && isError !== expect.lastIsError) {
    throw new ModelError(
      "invalid",
      `answer ${index} expects a last result that is ${expect.lastIsError ? "an" : "no"} error: ${text.slice(0, 500)}`,
    );
  }
}

/** A plausible count (four characters to a token) unless the script gives one. */
function usageOf({ usage, ...answer }: ScriptedAnswer, request: ModelRequest): Usage {
  if (usage) return { ...noUsage(), ...usage };
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  return { ...noUsage(), input: tokens(request.messages) + tokens(request.systemPrompt), output: tokens(answer) };
}
