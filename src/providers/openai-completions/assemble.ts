import type { AssistantMessage, TextContent, ThinkingContent, ToolCall, Usage } from "../../agent/messages.ts";
import { noUsage } from "../../agent/messages.ts";
import { isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import type { StreamDelta } from "../contract.ts";
import { parseArguments } from "./arguments.ts";
import { callSignature } from "./call-signature.ts";
import { stopReasonFor } from "./finish-reason.ts";
import { CallJoiner, type OpenCall } from "./join-calls.ts";
import { usageOfChunk } from "./usage.ts";

const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"];

type OpenBlock =
  | { kind: "text"; pieces: string[] }
  | { kind: "thinking"; pieces: string[]; field: string | undefined }
  | { kind: "call"; call: OpenCall };

const textField = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Builds an assistant message from the chunks of a stream; no I/O, no clock. The work is linear in what comes. On the wire
 * text and reasoning are one string each, so the message has at most one block of text and one of reasoning per field.
 */
export class AnswerAssembly {
  readonly #blocks: OpenBlock[] = [];
  readonly #joiner = new CallJoiner();
  #finish: string | undefined;
  #usage: Usage = noUsage();
  #responseId = "";
  #responseModel = "";
  /** OpenRouter's signed reasoning, by the id of the call that it led to. */
  readonly #signatures = new Map<string, string>();
  #blankStart = "";
  #size = 0;

  /** A finish reason has come: what follows can only be usage. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** Characters of text, reasoning and arguments so far. */
  get size(): number {
    return this.#size;
  }

  /** Takes one chunk of any shape and returns what grew. Chunks that hold nothing (keep-alives) change nothing. */
  add(chunk: unknown): StreamDelta[] {
    if (!isJsonObject(chunk)) return [];
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isJsonObject) : [];
    // Only the first choice counts; where they carry an index, that is number 0.
    const choice = choices.find(({ index }) => index === 0) ?? choices.find(({ index }) => typeof index !== "number");
    this.#responseId ||= textField(chunk.id);
    this.#responseModel ||= textField(chunk.model);
    this.#usage = usageOfChunk(chunk, choice) ?? this.#usage;
    if (!choice) return [];
    const reason = textField(choice.finish_reason);
    // Some hosts send "stop" after "length"; the cut must not be forgotten.
    if (reason !== "" && this.#finish !== "length") this.#finish = reason;
    const delta = isJsonObject(choice.delta) ? choice.delta : isJsonObject(choice.message) ? choice.message : {};
    return this.#addDelta(delta);
  }

  #addDelta(delta: JsonObject): StreamDelta[] {
    const deltas: StreamDelta[] = [];
    const field = reasoningFields.find((name) => textField(delta[name]) !== "");
    if (field) deltas.push(...this.#addThinking(textField(delta[field]), field));
    for (const detail of Array.isArray(delta.reasoning_details) ? delta.reasoning_details : []) {
      const signature = callSignature(detail);
      if (signature) this.#signatures.set(signature.callId, signature.text);
    }
    const parts = Array.isArray(delta.content) ? delta.content : [delta.content, delta.refusal];
    for (const part of parts) {
      if (typeof part === "string") deltas.push(...this.#addText(part));
      else if (isJsonObject(part) && part.type === "thinking")
        deltas.push(...this.#addThinking(nestedText(part.thinking)));
      else if (isJsonObject(part)) deltas.push(...this.#addText(textField(part.text)));
    }
    const single = isJsonObject(delta.function_call) ? [delta.function_call] : [];
    const calls = Array.isArray(delta.tool_calls)
      ? delta.tool_calls
      : isJsonObject(delta.tool_calls)
        ? [delta.tool_calls]
        : single;
    for (const raw of calls.filter(isJsonObject)) {
      const before = this.#joiner.calls.length;
      const { call, text } = this.#joiner.add(raw, () => this.#blocks.length);
      const begins = this.#joiner.calls.length > before;
      if (begins) this.#blocks.push({ kind: "call", call });
      this.#size += text.length;
      if (begins || text !== "") deltas.push({ index: call.block, kind: "toolCall", name: call.name, delta: text });
    }
    return deltas;
  }

  #addText(text: string): StreamDelta[] {
    if (text === "") return [];
    let index = this.#blocks.findIndex(({ kind }) => kind === "text");
    let grown = text;
    if (index === -1) {
      // White space alone is no text; it counts only as the beginning of one.
      grown = this.#blankStart + text;
      this.#blankStart = grown;
      if (grown.trim() === "") return [];
      index = this.#blocks.push({ kind: "text", pieces: [] }) - 1;
    }
    return this.#grow(index, grown);
  }

  #addThinking(thinking: string, field?: string): StreamDelta[] {
    if (thinking === "") return [];
    let index = this.#blocks.findIndex((block) => block.kind === "thinking" && block.field === field);
    if (index === -1) index = this.#blocks.push({ kind: "thinking", pieces: [], field }) - 1;
    return this.#grow(index, thinking);
  }

  #grow(index: number, delta: string): StreamDelta[] {
    const block = this.#blocks[index]!;
    if (block.kind === "call") return [];
    block.pieces.push(delta);
    this.#size += delta.length;
    return [{ index, kind: block.kind, delta }];
  }

  /**
   * The whole message. `aborted` keeps text and reasoning and no calls: their arguments may be cut. `length` says that
   * the answer was cut here, as if the endpoint had done so.
   * @throws ModelError as `stopReasonFor` does.
   */
  finish(
    of: { provider: string; model: string; timestamp: number },
    how: { aborted?: boolean; length?: boolean; finishReasonOptional?: boolean } = {},
  ): AssistantMessage {
    const content = this.#blocks
      .flatMap((block) => finishedBlock(block, this.#signatures))
      .filter(withoutRepetition())
      .filter((block) => !how.aborted || block.type !== "toolCall");
    const has = {
      text: content.some(({ type }) => type === "text"),
      calls: content.some(({ type }) => type === "toolCall"),
    };
    const reason = how.length ? "length" : this.#finish;
    return {
      role: "assistant",
      content,
      provider: of.provider,
      model: of.model,
      ...(this.#responseModel !== "" && this.#responseModel !== of.model ? { responseModel: this.#responseModel } : {}),
      ...(this.#responseId !== "" ? { responseId: this.#responseId } : {}),
      usage: this.#usage,
      stopReason: how.aborted ? "aborted" : stopReasonFor(reason, has, how.finishReasonOptional),
      timestamp: of.timestamp,
    };
  }
}

/** One call sent twice, with the same id and arguments, is one call: its work must not be done twice (case 26). */
function withoutRepetition(): (block: TextContent | ThinkingContent | ToolCall) => boolean {
  const seen = new Set<string>();
  return (block) => {
    if (block.type !== "toolCall" || block.id === "" || block.argumentsError) return true;
    const call = JSON.stringify([block.id, block.name, block.arguments]);
    if (seen.has(call)) return false;
    seen.add(call);
    return true;
  };
}

/** Mistral nests the text of its reasoning once more. */
const nestedText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((part) => (isJsonObject(part) ? textField(part.text) : textField(part))).join("")
    : textField(value);

function finishedBlock(
  block: OpenBlock,
  signatures: ReadonlyMap<string, string>,
): (TextContent | ThinkingContent | ToolCall)[] {
  if (block.kind === "text") return [{ type: "text", text: block.pieces.join("") }];
  if (block.kind === "thinking") {
    return [{ type: "thinking", thinking: block.pieces.join(""), ...(block.field ? { field: block.field } : {}) }];
  }
  const { id, name, pieces } = block.call;
  const thoughtSignature = block.call.thoughtSignature ?? signatures.get(id);
  // An entry without anything in it is no call.
  if (id === "" && name === "" && pieces.length === 0) return [];
  return [
    {
      type: "toolCall",
      id,
      name,
      ...parseArguments(pieces.join("")),
      ...(thoughtSignature ? { thoughtSignature } : {}),
    },
  ];
}
