// Pure unit tests: replay rules of pi-behaviours §6 and cases 25–35, each judged by a strict provider's pairing check.
import { Type } from "@sinclair/typebox";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../../src/agent/messages.ts";
import { noUsage } from "../../src/agent/messages.ts";
import { type CompatFlags, safestFlags } from "../../src/providers/openai-completions/compat.ts";
import { convertMessages } from "../../src/providers/openai-completions/convert-messages.ts";
import { pairingFault, type WireData } from "../support/model-server.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const call = (id: string, args: object = {}, name = "bash"): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args as Record<string, unknown>,
});
const assistant = (content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content,
  provider: "p",
  model: "m",
  usage: noUsage(),
  stopReason: "toolUse",
  timestamp: 1,
  ...more,
});
const result = (id: string, text: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content: text === "" ? [] : [{ type: "text", text }],
  isError: false,
  timestamp: 1,
  ...more,
});
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
const tools = [{ name: "bash", description: "", parameters: Type.Object({}) }];

function convert(messages: Message[], flags: Partial<CompatFlags> = {}): WireData[] {
  const request = { provider: "p", model: "m", systemPrompt: "", messages, tools };
  const before = JSON.stringify(messages);
  const wire = convertMessages(request, { ...safestFlags, ...flags });
  expect(pairingFault(wire)).toBeUndefined();
  expect(JSON.stringify(messages)).toBe(before);
  return wire;
}
/** Each call's arguments with the text of the result that the wire pairs with it. */
const pairs = (wire: WireData[]) =>
  wire
    .flatMap((message) => message.tool_calls ?? [])
    .map((one: WireData) => [one.function.arguments, wire.find((m) => m.tool_call_id === one.id)?.content]);

describe("ids", () => {
  it("good ones stay as they are", () => {
    const wire = convert([user("go"), assistant([call("call_abc")]), result("call_abc", "x"), user("more")]);
    expect(wire[1].tool_calls[0].id).toBe("call_abc");
    expect(wire[2].tool_call_id).toBe("call_abc");
  });

  it("case 25: an id used again in every turn pairs with its own result and stays stable", () => {
    const history = [
      user("go"),
      assistant([call("bash:0", { n: 1 })]),
      result("bash:0", "one"),
      assistant([call("bash:0", { n: 2 })]),
      result("bash:0", "two"),
    ];
    const wire = convert(history);
    expect(pairs(wire)).toEqual([
      ['{"n":1}', "one"],
      ['{"n":2}', "two"],
    ]);
    expect(wire[1].tool_calls[0].id).toBe("bash:0");
    expect(convert([...history, user("more")]).slice(0, wire.length)).toEqual(wire);
  });

  it("case 26: the same id twice in one response, with the same and with other arguments", () => {
    for (const args of [{ n: 1 }, { n: 2 }]) {
      const wire = convert([
        user("go"),
        assistant([call("dup", { n: 1 }), call("dup", args)]),
        result("dup", "one"),
        result("dup", "two"),
      ]);
      expect(pairs(wire).map(([, text]) => text)).toEqual(["one", "two"]);
    }
  });

  it("case 26: empty ids are made up and pair in order; names tell apart", () => {
    const wire = convert([
      user("go"),
      assistant([call("", { n: 1 }), call("", { n: 2 }, "read")]),
      result("", "two", { toolName: "read" }),
      result("", "one"),
    ]);
    expect(pairs(wire)).toEqual([
      ['{"n":1}', "one"],
      ['{"n":2}', "two"],
    ]);
  });

  it("6.10: long ones and odd characters are replaced, the result follows", () => {
    const long = `call_x|fc_${"6".repeat(300)}`;
    const wire = convert([
      user("go"),
      assistant([call(long), call("a b\n")]),
      result(long, "one"),
      result("a b\n", "two"),
    ]);
    expect(pairs(wire).map(([, text]) => text)).toEqual(["one", "two"]);
    for (const one of wire[1].tool_calls) expect(one.id).toMatch(/^call_[0-9a-f]{16}$/);
  });

  it("Mistral's nine characters", () => {
    const wire = convert(
      [user("go"), assistant([call("call_0"), call("abcDEF123")]), result("call_0", "x"), result("abcDEF123", "y")],
      { nineCharacterIds: true },
    );
    expect(wire[1].tool_calls[0].id).toMatch(/^[0-9a-f]{9}$/);
    expect(wire[1].tool_calls[1].id).toBe("abcDEF123");
  });
});

describe("calls and results", () => {
  it("case 28, 6.12: a call without result gets an error result, before the next message and at the end", () => {
    const wire = convert([
      user("go"),
      assistant([call("a"), call("b"), call("c")]),
      result("a", "one"),
      user("go on"),
      assistant([call("d")]),
    ]);
    expect(wire.map((m) => m.role)).toEqual(["user", "assistant", "tool", "tool", "tool", "user", "assistant", "tool"]);
    expect(wire[2].content).toBe("one");
    expect(wire[3].content).toContain("interrupted");
  });

  it("case 29: results without a call are not sent", () => {
    const wire = convert([
      user("go"),
      result("gone", "x"),
      assistant([{ type: "text", text: "hi" }]),
      result("gone", "x"),
    ]);
    expect(wire.map((m) => m.role)).toEqual(["user", "assistant"]);
  });

  it("case 31: a message between call and result follows the result", () => {
    const wire = convert([
      user("go"),
      assistant([call("a"), call("b")]),
      result("a", "one"),
      user("note"),
      result("b", "two"),
    ]);
    expect(wire.map((m) => m.content)).toEqual(["go", null, "one", "two", "note"]);
  });

  it("6.11: failed and aborted messages are left out with their results", () => {
    for (const stopReason of ["error", "aborted"] as const) {
      const wire = convert([
        user("go"),
        assistant([call("x", { n: 1 })]),
        result("x", "kept"),
        assistant([call("x")], { stopReason }),
        result("x", "dropped"),
        user("again"),
      ]);
      expect(wire.map((m) => m.content)).toEqual(["go", null, "kept", "again"]);
    }
  });

  it("unreadable arguments are replayed as an empty object", () => {
    const broken = { ...call("a"), argumentsError: { message: "cut", raw: '{"a' } };
    expect(convert([user("go"), assistant([broken]), result("a", "cut")])[1].tool_calls[0].function.arguments).toBe(
      "{}",
    );
  });

  it("case 53: invented and empty names are replayed in a form that no provider refuses", () => {
    const names = ["functions.bash", "creating:view", "", "bash"];
    const wire = convert([
      user("go"),
      assistant(names.map((name, at) => call(`c${at}`, {}, name))),
      ...names.map((_, at) => result(`c${at}`, "x")),
    ]);
    expect(wire[1].tool_calls.map((one: WireData) => one.function.name)).toEqual([
      "functions_bash",
      "creating_view",
      "unknown_tool",
      "bash",
    ]);
  });

  it("thoughtSignature goes back where it came from (D5)", () => {
    const wire = convert([user("go"), assistant([{ ...call("a"), thoughtSignature: "sig" }]), result("a", "x")]);
    expect(wire[1].tool_calls[0].extra_content).toEqual({ google: { thought_signature: "sig" } });
    expect("reasoning_details" in wire[1]).toBe(false);
  });

  it("OpenRouter's signature goes back into the message, with the id that the call has there (D5)", () => {
    const detail = { type: "reasoning.encrypted", id: "a b", data: "xyz", format: "google-gemini-v1", index: 0 };
    const signed = { ...call("a b"), thoughtSignature: JSON.stringify(detail) };
    const wire = convert([user("go"), assistant([signed]), result("a b", "x")]);
    expect(wire[1].reasoning_details).toEqual([{ ...detail, id: wire[1].tool_calls[0].id }]);
    expect("extra_content" in wire[1].tool_calls[0]).toBe(false);
  });

  it("another model's signatures are not sent: its host may refuse the field (D5)", () => {
    const details = ["sig", JSON.stringify({ type: "reasoning.encrypted", id: "b", data: "xyz" })];
    const wire = convert([
      user("go"),
      assistant(
        details.map((thoughtSignature, at) => ({ ...call(`c${at}`), thoughtSignature })),
        { model: "other" },
      ),
      result("c0", "x"),
      result("c1", "x"),
    ]);
    expect(JSON.stringify(wire)).not.toMatch(/extra_content|reasoning_details/);
  });
});

describe("content", () => {
  it("case 34: blank results get a placeholder, empty assistant messages are left out", () => {
    const wire = convert([
      user("go"),
      assistant([call("a"), call("b")]),
      result("a", "\r\n"),
      result("b", ""),
      assistant([], { stopReason: "stop" }),
      assistant([{ type: "thinking", thinking: "hm" }], { stopReason: "stop" }),
      user("more"),
    ]);
    expect(wire.map((m) => m.content)).toEqual(["go", null, "(no output)", "(no output)", "more"]);
  });

  it("6.2: null content of old history counts as empty", () => {
    expect(convert([user("go"), assistant([call("a")]), result("a", "", { content: null as never })])[2].content).toBe(
      "(no output)",
    );
  });

  it("6.4: images of all results follow in one user message; without sight a note stands", () => {
    const history = [
      user("go"),
      assistant([call("a"), call("b")]),
      result("a", "", { content: [image] }),
      result("b", "", { content: [{ type: "text", text: "t" }, image] }),
    ];
    const seen = convert(history);
    expect(seen.map((m) => m.role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(seen[2].content).toBe("(see the image below)");
    expect(seen[4].content.slice(1)).toEqual(
      [1, 2].map(() => ({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } })),
    );
    const blind = convert(history, { images: false });
    expect(blind).toHaveLength(4);
    expect(blind[2].content).toContain("cannot see");
  });

  it("images of the user are parts; blank user messages have a placeholder", () => {
    const wire = convert([
      { role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 1 },
      user(" \n"),
    ]);
    expect(wire[0].content).toHaveLength(2);
    expect(wire[1].content).toBe("(empty message)");
  });

  it("6.6: assistant text is a plain string; content beside calls is null, or empty where the host needs that", () => {
    expect(convert([user("go"), assistant([{ type: "text", text: "a" }], { stopReason: "stop" })])[1].content).toBe(
      "a",
    );
    expect(
      convert([user("go"), assistant([call("a")]), result("a", "x")], { emptyContentAsText: true })[1].content,
    ).toBe("");
  });

  it("2.14: lone surrogates are removed, whole emoji stay", () => {
    const wire = convert([user("a\ud83d b 🙂"), assistant([call("a", { text: "x\udc00y🙂" })]), result("a", "\ud800")]);
    expect(wire[0].content).toBe("a b 🙂");
    expect(wire[1].tool_calls[0].function.arguments).toBe('{"text":"xy🙂"}');
    expect(JSON.stringify(wire)).not.toMatch(/\\ud[89a-f]/);
  });

  it("the system prompt comes first as system", () => {
    const wire = convertMessages(
      { provider: "p", model: "m", systemPrompt: "be good", messages: [user("go")], tools },
      safestFlags,
    );
    expect(wire[0]).toEqual({ role: "system", content: "be good" });
  });
});

describe("reasoning", () => {
  const thinking = (field: string) => ({ type: "thinking" as const, thinking: "plan", field });

  it("case 32: goes back word for word in the field it came in, with the call", () => {
    const wire = convert([user("go"), assistant([thinking("reasoning_content"), call("a")]), result("a", "x")], {
      reasoningContentRequired: true,
    });
    expect(wire[1]).toMatchObject({ reasoning_content: "plan", tool_calls: [{ id: "a" }] });
    expect(convert([user("go"), assistant([thinking("reasoning"), call("a")]), result("a", "x")])[1].reasoning).toBe(
      "plan",
    );
  });

  it("C3: is empty where a message has none", () => {
    const wire = convert([user("go"), assistant([{ type: "text", text: "hi" }], { stopReason: "stop" })], {
      reasoningContentRequired: true,
    });
    expect(wire[1].reasoning_content).toBe("");
    expect("reasoning_content" in convert([user("go"), assistant([{ type: "text", text: "hi" }])])[1]).toBe(false);
  });

  it("6.9: another model's is dropped", () => {
    const wire = convert([
      user("go"),
      assistant([thinking("reasoning"), call("a")], { model: "other" }),
      result("a", "x"),
    ]);
    expect("reasoning" in wire[1]).toBe(false);
  });
});

describe("hosts with rules of their own", () => {
  it("case 35: an assistant message stands between results and the user's, only with the flag", () => {
    const history = [user("go"), assistant([call("a")]), result("a", "x"), user("steer")];
    expect(convert(history).map((m) => m.role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(convert(history, { assistantAfterToolResult: true }).map((m) => m.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("6.13: results carry the tool's name where needed", () => {
    expect(convert([user("go"), assistant([call("a")]), result("a", "x")], { toolResultName: true })[2].name).toBe(
      "bash",
    );
  });
});
