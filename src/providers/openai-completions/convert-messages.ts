import type { AssistantMessage, ImageContent, TextContent, ToolCall, ToolResultMessage } from "../../agent/messages.ts";
import { textOf } from "../../agent/messages.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { ModelRequest } from "../contract.ts";
import { callIdAllocator } from "./call-ids.ts";
import { replayedSignature } from "./call-signature.ts";
import type { CompatFlags } from "./compat.ts";
import { type Exchange, pairResults, type Step } from "./pair-results.ts";
import { wellFormed } from "./well-formed.ts";
import type { WireCall, WireMessage, WirePart } from "./wire.ts";

const bridge = "I have read the results of the tools.";

type Conversation = Pick<ModelRequest, "provider" | "model" | "systemPrompt" | "messages" | "tools">;

/** The `messages` of a request, in an order and a shape that a strict endpoint accepts. `conversation` is not changed. */
export function convertMessages(conversation: Conversation, compat: CompatFlags): WireMessage[] {
  // First of all: a text of nothing but lone surrogates is blank, and arguments must be clean before they become JSON.
  const request = {
    ...conversation,
    systemPrompt: wellFormed(conversation.systemPrompt),
    messages: wellFormed(conversation.messages),
  };
  const wire: WireMessage[] = [];
  if (request.systemPrompt.trim() !== "") wire.push({ role: "system", content: request.systemPrompt });
  const nextId = callIdAllocator(compat);
  const declared = new Set(request.tools.map(({ name }) => name));
  for (const step of pairResults(request.messages)) {
    if (step.kind === "user" && compat.assistantAfterToolResult && wire.at(-1)?.role === "tool") {
      wire.push({ role: "assistant", content: bridge });
    }
    wire.push(...convertStep(step, request, compat, nextId, declared));
  }
  return wire;
}

function convertStep(
  step: Step,
  request: Conversation,
  compat: CompatFlags,
  nextId: (id: string) => string,
  declared: ReadonlySet<string>,
): WireMessage[] {
  if (step.kind === "user") return [{ role: "user", content: userContent(step.message.content, compat) }];
  const calls = step.calls.map(({ call, result }) => {
    const name = declared.has(call.name) ? call.name : safeName(call.name);
    return { call, result, id: nextId(call.id), name };
  });
  // What another model thought or signed means nothing to this one, and its host may refuse the field.
  const isOwn = step.assistant.provider === request.provider && step.assistant.model === request.model;
  const signed = calls.map(({ call, id }) => (isOwn ? replayedSignature(call, id) : {}));
  const assistant = convertAssistant(
    step.assistant,
    calls.map(({ call, id, name }, at) => wireCall(call, id, name, signed[at]?.inCall)),
    isOwn,
    compat,
  );
  if (!assistant) return [];
  const details = signed.flatMap(({ inMessage }) => (inMessage ? [inMessage] : []));
  if (details.length > 0) assistant.reasoning_details = details;
  const results = calls.map(
    ({ id, name, result }): WireMessage => ({
      role: "tool",
      tool_call_id: id,
      content: resultText(result, compat),
      ...(compat.toolResultName ? { name } : {}),
    }),
  );
  return [assistant, ...results, ...imagesOf(step, compat)];
}

/** Endpoints refuse a whole request for a call name that no function may have, such as an invented `functions.bash`. */
const safeName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown_tool";

const wireCall = (call: ToolCall, id: string, name: string, signature: JsonObject | undefined): WireCall => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(call.arguments) },
  ...(signature ? { extra_content: signature } : {}),
});

function convertAssistant(
  message: AssistantMessage,
  calls: WireCall[],
  isOwn: boolean,
  compat: CompatFlags,
): Extract<WireMessage, { role: "assistant" }> | undefined {
  const text = message.content
    .filter((block): block is TextContent => block.type === "text")
    .map((block) => block.text)
    .join("");
  const hasText = text.trim() !== "";
  if (!hasText && calls.length === 0) return undefined;
  const reasoning: Record<string, string> = compat.reasoningContentRequired ? { reasoning_content: "" } : {};
  for (const block of isOwn ? message.content : []) {
    if (block.type === "thinking" && block.field)
      reasoning[block.field] = (reasoning[block.field] ?? "") + block.thinking;
  }
  return {
    role: "assistant",
    content: hasText ? text : compat.emptyContentAsText ? "" : null,
    ...reasoning,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function resultText(result: ToolResultMessage | undefined, compat: CompatFlags): string {
  if (!result) return "Error: the call was interrupted and has no result; it may have run in part.";
  const content = result.content ?? [];
  const text = textOf(content);
  if (text.trim() !== "") return text;
  if (!content.some(({ type }) => type === "image")) return "(no output)";
  return compat.images ? "(see the image below)" : "(an image, which this model cannot see)";
}

/** Images cannot stand in a tool result: those of a batch follow it in one user message. */
function imagesOf({ calls }: Exchange, compat: CompatFlags): WireMessage[] {
  const images = calls.flatMap(({ result }) => result?.content ?? []).filter((block) => block.type === "image");
  if (images.length === 0 || !compat.images) return [];
  const message: WireMessage = {
    role: "user",
    content: [{ type: "text", text: "Images from the tool results above:" }, ...images.map(imagePart)],
  };
  return compat.assistantAfterToolResult ? [{ role: "assistant", content: bridge }, message] : [message];
}

const imagePart = ({ mimeType, data }: ImageContent): WirePart => ({
  type: "image_url",
  image_url: { url: `data:${mimeType};base64,${data}` },
});

function userContent(content: (TextContent | ImageContent)[], compat: CompatFlags): string | WirePart[] {
  const images = content.filter((block) => block.type === "image");
  const text = textOf(content);
  if (images.length > 0 && compat.images) {
    return content.flatMap((block): WirePart[] => {
      if (block.type === "image") return [imagePart(block)];
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    });
  }
  const seen =
    images.length > 0
      ? [text, "(an image, which this model cannot see)"].filter((part) => part !== "").join("\n")
      : text;
  return seen.trim() === "" ? "(empty message)" : seen;
}
