// Pure unit tests: chunks in, message out. Numbers are those of cases.md and pi-behaviours §3.
import { describe, expect, it } from "vitest";
import { toolCallsOf } from "../../src/agent/messages.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { AnswerAssembly } from "../../src/providers/openai-completions/assemble.ts";
import { chunk } from "../support/model-server.ts";
import { assemble, of, piece } from "./assembling.ts";
import { seededRandom, splitText } from "./splits.ts";

const kindOf = (chunks: unknown[]) => {
  try {
    assemble(chunks);
    return "none";
  } catch (error) {
    return error instanceof ModelError ? error.kind : error;
  }
};

describe("how a stream ends", () => {
  const call = chunk({ tool_calls: [piece([0, { id: "a", name: "bash", args: '{"command":"ls"}' }])] });

  it.each(["stop", "tool_calls", "function_call", "whatever"])("case 16: calls run although it says %s", (finish) => {
    const { message } = assemble([chunk({ content: "let me look" }), call, chunk({}, finish)]);
    expect(message.stopReason).toBe("toolUse");
    expect(toolCallsOf(message)).toHaveLength(1);
  });

  it("case 17: tool_calls without a call fails as transient, with text it is a stop", () => {
    expect(kindOf([chunk({}, "tool_calls")])).toBe("transient");
    expect(assemble([chunk({ content: "hi" }, "tool_calls")]).message.stopReason).toBe("stop");
  });

  it("case 22: length keeps the calls for their errors; the cut one is unreadable", () => {
    const { message } = assemble([
      call,
      chunk({ tool_calls: [piece([1, { id: "b", name: "write", args: '{"path":"x","con' }])] }),
      chunk({}, "length"),
      chunk({}, "stop"),
    ]);
    expect(message.stopReason).toBe("length");
    expect(toolCallsOf(message).map((one) => one.argumentsError !== undefined)).toEqual([false, true]);
  });

  it("3.12: no finish reason is transient, unless the host is known for it", () => {
    expect(kindOf([chunk({ content: "half an ans" })])).toBe("transient");
    expect(assemble([chunk({ content: "all" })], { finishReasonOptional: true }).message.stopReason).toBe("stop");
  });

  it.each([
    ["content_filter", "contentFilter"],
    ["sensitive", "contentFilter"],
    ["network_error", "transient"],
    ["insufficient_system_resource", "transient"],
    ["odd", "invalid"],
  ])("B39, 3.10: %s is %s", (finish, kind) => {
    expect(kindOf([chunk({ content: "x" }, finish)])).toBe(kind);
  });

  it("B39: no content and only thinking are named by an empty or thinking-only stop", () => {
    expect(assemble([chunk({}, "stop")]).message).toMatchObject({ content: [], stopReason: "stop" });
    expect(assemble([chunk({ reasoning_content: "hm" }, "stop")]).message.content).toEqual([
      { type: "thinking", thinking: "hm", field: "reasoning_content" },
    ]);
  });

  it("B39: a refusal is text", () => {
    expect(assemble([chunk({ refusal: "I will not" }, "stop")]).message.content).toEqual([
      { type: "text", text: "I will not" },
    ]);
  });

  it("aborted keeps text and drops calls", () => {
    const { message } = assemble([chunk({ content: "so far" }), call], { aborted: true });
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "so far" }] });
  });
});

describe("text, reasoning, usage", () => {
  it("case 19: choices null or empty, keep-alives and nonsense change nothing; usage counts", () => {
    const { message } = assemble([
      {},
      null,
      "x",
      chunk({ content: "hi" }),
      chunk({ content: null }, "stop"),
      { choices: [] },
      { choices: null, usage: { prompt_tokens: 7, completion_tokens: 3 } },
      { choices: null, usage: null },
    ]);
    expect(message.usage).toEqual({ input: 7, output: 3, cacheRead: 0, cacheWrite: 0 });
    expect(message.content).toEqual([{ type: "text", text: "hi" }]);
  });

  it("case 20: usage inside the choice, cached tokens at its top", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 60 };
    const { message } = assemble([{ choices: [{ delta: {}, finish_reason: "stop", usage }] }]);
    expect(message.usage).toEqual({ input: 40, output: 5, cacheRead: 60, cacheWrite: 0 });
  });

  it("9.22: the three places of cached tokens, cache writes, the host's own cost", () => {
    const of = (usage: object) => assemble([chunk({}, "stop", { usage })]).message.usage;
    expect(of({ prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 60 })).toMatchObject({
      input: 40,
      cacheRead: 60,
    });
    expect(
      of({
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        cost: 0.5,
      }),
    ).toMatchObject({ input: 30, cacheRead: 60, cacheWrite: 10, cost: 0.5 });
  });

  it("3.6, 3.7: reasoning before text of one delta; equal fields count once; the name is kept", () => {
    const { message } = assemble([
      chunk({ content: "a", reasoning: "r", reasoning_content: "r" }),
      chunk({ content: "b", reasoning_content: "s" }, "stop"),
    ]);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "rs", field: "reasoning_content" },
      { type: "text", text: "ab" },
    ]);
  });

  it("Mistral's content parts are thinking and text", () => {
    const { message } = assemble([
      chunk(
        {
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
            { type: "text", text: "ok" },
          ],
        },
        "stop",
      ),
    ]);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "ok" },
    ]);
  });

  it("text around calls stays one text, byte for byte; white space alone is none", () => {
    const call = { tool_calls: [piece([0, { id: "a", name: "ls", args: "{}" }])] };
    expect(
      assemble([chunk({ content: "  in" }), chunk(call), chunk({ content: "dented\n" }, "stop")]).message.content[0],
    ).toEqual({ type: "text", text: "  indented\n" });
    expect(assemble([chunk({ content: "\n\n" }), chunk(call), chunk({}, "stop")]).message.content).toHaveLength(1);
  });

  it("3.23: the response's id and the model that really answered are recorded", () => {
    expect(assemble([chunk({ content: "x" }, "stop")]).message).toMatchObject({
      model: "m",
      responseModel: "test-model",
      responseId: "answer-1",
    });
  });

  it("D6: nothing but the message's own fields is stored", () => {
    const { message } = assemble([chunk({ tool_calls: [piece([0, { id: "a", name: "ls", args: "{}" }])] }, "stop")]);
    expect(Object.keys(message.content[0]!).sort()).toEqual(["arguments", "id", "name", "type"]);
  });

  it("only the first choice counts", () => {
    const two = {
      choices: [
        { index: 1, delta: { content: "no" } },
        { index: 0, delta: { content: "yes" }, finish_reason: "stop" },
      ],
    };
    expect(assemble([two]).message.content).toEqual([{ type: "text", text: "yes" }]);
  });
});

describe("deltas", () => {
  it("3.1: grow each block by its index and name the call", () => {
    const { deltas } = assemble([
      chunk({ reasoning_content: "r" }),
      chunk({ content: "t" }),
      chunk({ tool_calls: [piece([0, { id: "a", name: "ls", args: "" }])] }),
      chunk({ tool_calls: [piece([0, { args: "{}" }])] }, "stop"),
    ]);
    expect(deltas).toEqual([
      { index: 0, kind: "thinking", delta: "r" },
      { index: 1, kind: "text", delta: "t" },
      { index: 2, kind: "toolCall", name: "ls", delta: "" },
      { index: 2, kind: "toolCall", name: "ls", delta: "{}" },
    ]);
  });

  it("property: however texts and arguments are split, the message is the same", () => {
    const random = seededRandom(42);
    const split = (text: string) => splitText(text, random);
    const wanted = [
      { path: "a", content: '{"x":[1,"}\\""]} 中文 🙂\n' },
      {},
      { edits: [{ oldText: "{", newText: "[" }] },
    ];
    const run = (indexOf: (at: number) => number | undefined) => {
      const pieces = wanted.flatMap((args, at) =>
        split(JSON.stringify(args)).map((text, part) =>
          piece([indexOf(at), part === 0 ? { id: `c${at}`, name: "write", args: text } : { args: text }]),
        ),
      );
      const texts = split("Some text with 🙂 and {braces}").map((content) => chunk({ content }));
      return assemble([...texts, ...pieces.map((one) => chunk({ tool_calls: [one] })), chunk({}, "tool_calls")])
        .message;
    };
    const right = run((at) => at);
    expect(toolCallsOf(right).map((call) => call.arguments)).toEqual(wanted);
    for (let round = 0; round < 300; round++) {
      expect(run([(at: number) => at, () => 0, () => undefined][round % 3]!)).toEqual(right);
    }
  });

  it("a call of 1 MB in pieces of 20 bytes is assembled", () => {
    const text = JSON.stringify({ content: "x".repeat(1_000_000) });
    const assembly = new AnswerAssembly();
    for (let at = 0; at < text.length; at += 20) {
      assembly.add(
        chunk({
          tool_calls: [
            piece([
              0,
              at === 0 ? { id: "a", name: "write", args: text.slice(0, 20) } : { args: text.slice(at, at + 20) },
            ]),
          ],
        }),
      );
    }
    assembly.add(chunk({}, "tool_calls"));
    expect(toolCallsOf(assembly.finish(of))[0]?.arguments.content).toHaveLength(1_000_000);
  });
});
