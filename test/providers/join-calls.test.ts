// Pure unit tests: pieces of tool calls in, calls out. Numbers are those of cases.md and pi-behaviours §3.
import { describe, expect, it, test } from "vitest";
import { toolCallsOf } from "../../src/agent/messages.ts";
import { chunk } from "../support/model-server.ts";
import { a, assemble, b, calls, type Piece, piece } from "./assembling.ts";

const joined: { name: string; pieces: Piece[]; right: unknown[] }[] = [
  {
    name: "case 10: two whole calls with the same index",
    pieces: [
      [0, { id: "a", name: "read", args: '{"path":"1"}' }],
      [0, { id: "b", name: "read", args: '{"path":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "case 10: the same in pieces",
    pieces: [
      [0, { id: "a", name: "read", args: '{"pa' }],
      [0, { args: 'th":"1"}' }],
      [0, { id: "b", name: "read", args: "" }],
      [0, { args: '{"path":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "case 10: same index, no ids",
    pieces: [
      [0, { name: "read", args: '{"path":"1"}' }],
      [0, { name: "read", args: '{"path":"2"}' }],
    ],
    right: [
      { ...a, id: "" },
      { ...b, id: "" },
    ],
  },
  {
    name: "case 10: same index, calls without arguments",
    pieces: [
      [0, { id: "a", name: "ls", args: "" }],
      [0, { id: "b", name: "ls", args: "" }],
    ],
    right: [
      { id: "a", name: "ls", args: {} },
      { id: "b", name: "ls", args: {} },
    ],
  },
  {
    name: "case 11: no index, id in the first piece only",
    pieces: [
      [undefined, { id: "a", name: "read", args: '{"pa' }],
      [undefined, { args: 'th":"1"}' }],
      [undefined, { id: "b", name: "read", args: '{"pa' }],
      [undefined, { args: 'th":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "case 11: no index, interleaved by id",
    pieces: [
      [undefined, { id: "a", name: "read", args: '{"pa' }],
      [undefined, { id: "b", name: "read", args: '{"pa' }],
      [undefined, { id: "a", args: 'th":"1"}' }],
      [undefined, { id: "b", args: 'th":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "case 11: neither index nor id",
    pieces: [
      [undefined, { name: "read", args: '{"pa' }],
      [undefined, { args: 'th":"1"}' }],
      [undefined, { name: "read", args: '{"path":"2"}' }],
    ],
    right: [
      { ...a, id: "" },
      { ...b, id: "" },
    ],
  },
  {
    name: "no index and no id, the name on every piece",
    pieces: [
      [undefined, { name: "read", args: '{"pa' }],
      [undefined, { name: "read", args: 'th":"1"}' }],
    ],
    right: [{ ...a, id: "" }],
  },
  {
    name: "index null counts as none",
    pieces: [
      [null as never, { id: "a", name: "read", args: '{"path":"1"}' }],
      [null as never, { id: "b", name: "read", args: '{"path":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "case 13: the id changes in the middle",
    pieces: [
      [0, { id: "a", name: "bash", args: '{"comm' }],
      [0, { id: "a-2", args: 'and":"ls"}' }],
    ],
    right: [{ id: "a", name: "bash", args: { command: "ls" } }],
  },
  {
    name: "case 13: the id changes with the name repeated",
    pieces: [
      [0, { id: "a", name: "bash", args: '{"comm' }],
      [0, { id: "a-2", name: "bash", args: 'and":"ls"}' }],
    ],
    right: [{ id: "a", name: "bash", args: { command: "ls" } }],
  },
  {
    name: "case 13: the id changes, no index",
    pieces: [
      [undefined, { id: "a", name: "bash", args: '{"comm' }],
      [undefined, { id: "a-2", args: 'and":"ls"}' }],
    ],
    right: [{ id: "a", name: "bash", args: { command: "ls" } }],
  },
  {
    name: "case 14: arguments as an object",
    pieces: [[0, { id: "a", name: "bash", args: { command: "ls" } }]],
    right: [{ id: "a", name: "bash", args: { command: "ls" } }],
  },
  {
    name: "case 14: two objects with the same index",
    pieces: [
      [0, { id: "a", name: "read", args: { path: "1" } }],
      [0, { id: "b", name: "read", args: { path: "2" } }],
    ],
    right: [a, b],
  },
  {
    name: "3.4: the id in the last piece",
    pieces: [
      [0, { name: "read", args: '{"pa' }],
      [0, { id: "a", args: 'th":"1"}' }],
    ],
    right: [a],
  },
  {
    name: "id and name on every piece",
    pieces: [
      [0, { id: "a", name: "read", args: '{"pa' }],
      [0, { id: "a", name: "read", args: 'th":"1"}' }],
      [0, { id: "a", name: "read", args: "" }],
    ],
    right: [a],
  },
  {
    name: "the name comes after the index",
    pieces: [
      [0, { id: "a" }],
      [0, { name: "read" }],
      [0, { args: '{"path":"1"}' }],
    ],
    right: [a],
  },
  {
    name: "interleaved by index",
    pieces: [
      [0, { id: "a", name: "read", args: '{"pa' }],
      [1, { id: "b", name: "read", args: '{"pa' }],
      [0, { args: 'th":"1"}' }],
      [1, { args: 'th":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "F15: a wrong index on the rest of a call",
    pieces: [
      [0, { id: "a", name: "read", args: '{"pa' }],
      [1, { args: 'th":"1"}' }],
    ],
    right: [a],
  },
  {
    name: "case 26: the same id twice in one response",
    pieces: [
      [0, { id: "dup", name: "read", args: '{"path":"1"}' }],
      [1, { id: "dup", name: "read", args: '{"path":"2"}' }],
    ],
    right: [
      { ...a, id: "dup" },
      { ...b, id: "dup" },
    ],
  },
  {
    name: "case 26: the same id twice in one response, with the same arguments",
    pieces: [
      [0, { id: "dup", name: "read", args: '{"path": "1"}' }],
      [1, { id: "dup", name: "read", args: '{"path":"1"}' }],
    ],
    right: [{ ...a, id: "dup" }],
  },
  {
    name: "the same arguments under two ids are two calls",
    pieces: [
      [0, { id: "a", name: "read", args: '{"path":"1"}' }],
      [1, { id: "b", name: "read", args: '{"path":"1"}' }],
    ],
    right: [a, { ...a, id: "b" }],
  },
  {
    name: "an index as text",
    pieces: [
      ["0" as never, { id: "a", name: "read", args: '{"pa' }],
      ["1" as never, { id: "b", name: "read", args: '{"pa' }],
      ["0" as never, { args: 'th":"1"}' }],
      ["1" as never, { args: 'th":"2"}' }],
    ],
    right: [a, b],
  },
  {
    name: "empty ids",
    pieces: [
      [0, { id: "", name: "read", args: '{"path":"1"}' }],
      [1, { id: "", name: "read", args: '{"path":"2"}' }],
    ],
    right: [
      { ...a, id: "" },
      { ...b, id: "" },
    ],
  },
  {
    name: "braces inside strings do not end a call",
    pieces: [
      [0, { id: "a", name: "read", args: '{"path":"}' }],
      [0, { args: '\\"}' }],
      [0, { args: '"}' }],
    ],
    right: [{ id: "a", name: "read", args: { path: '}"}' } }],
  },
  {
    name: "the whole call repeated at the end",
    pieces: [
      [0, { id: "a", name: "read", args: '{"pa' }],
      [0, { args: 'th":"1"}' }],
      [0, { id: "a", name: "read", args: '{"path":"1"}' }],
    ],
    right: [a],
  },
  { name: "3.19: no arguments", pieces: [[0, { id: "a", name: "ls" }]], right: [{ id: "a", name: "ls", args: {} }] },
];

describe("pieces of calls", () => {
  test.each(joined)("$name", ({ pieces, right }) => {
    expect(calls(pieces)).toEqual(right);
  });

  it("case 5: arguments that are no object are an error with the raw text", () => {
    for (const text of ['["ls"]', '"ls"', "7", "null"]) {
      const { message } = assemble([
        chunk({ tool_calls: [piece([0, { id: "a", name: "bash", args: text }])] }),
        chunk({}, "stop"),
      ]);
      const [call] = toolCallsOf(message);
      expect(call?.arguments).toEqual({});
      expect(call?.argumentsError?.raw).toBe(text);
      expect(call?.argumentsError?.message).toContain("must be a JSON object");
    }
  });

  it("3.17: cut arguments are never completed", () => {
    const [call] = calls([[0, { id: "a", name: "write", args: '{"path":"a","content":"half' }]]);
    expect(call).toMatchObject({ error: expect.stringContaining("not one complete JSON object") });
  });

  it("thoughtSignature is kept (D5)", () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const { message } = assemble([
      chunk({ tool_calls: [{ ...piece([0, { id: "a", name: "ls", args: "{}" }]), extra_content }] }, "stop"),
    ]);
    expect(toolCallsOf(message)[0]?.thoughtSignature).toBe("sig");
  });

  it("the old function_call shape is a call", () => {
    const { message } = assemble([
      chunk({ function_call: { name: "bash", arguments: '{"comm' } }),
      chunk({ function_call: { arguments: 'and":"ls"}' } }, "function_call"),
    ]);
    expect(toolCallsOf(message)[0]).toMatchObject({ name: "bash", arguments: { command: "ls" } });
  });
});
