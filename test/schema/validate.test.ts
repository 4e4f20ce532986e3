// Pure unit tests: the conversions of pi-behaviours §4 with the decisions of requirements E2, for TypeBox and plain JSON Schema.
import { type TSchema, Type } from "@sinclair/typebox";
import { describe, expect, it, test } from "vitest";
import type { ToolCall } from "../../src/agent/messages.ts";
import { prepareToolArguments, ToolArgumentsError, validateToolArguments } from "../../src/schema/validate.ts";
import { conversions, type Row } from "./conversions.ts";

const call = (args: Record<string, unknown>, more: Partial<ToolCall> = {}): ToolCall => ({
  type: "toolCall",
  id: "1",
  name: "t",
  arguments: args,
  ...more,
});

function refusalOf(run: () => unknown): ToolArgumentsError {
  try {
    run();
  } catch (error) {
    if (error instanceof ToolArgumentsError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

function checkRow(row: Row, parameters: TSchema): void {
  const args = { v: row.input };
  const before = structuredClone(args);
  const run = () => validateToolArguments({ name: "t", parameters }, args);
  if (row.refused) {
    const { refused } = row;
    const found = refusalOf(run).faults.filter((fault) => fault.path === refused.path);
    expect(found.map((fault) => fault.message).join("\n")).toContain(refused.text);
  } else {
    expect(run()).toEqual(row.dropped ? {} : { v: row.output });
  }
  expect(args).toEqual(before);
}

describe("conversions with a TypeBox schema", () => {
  test.each(conversions)("$name", (row) => {
    checkRow(row, Type.Object({ v: row.optional ? Type.Optional(row.schema) : row.schema }));
  });
});

describe("conversions with plain JSON Schema (1.3)", () => {
  test.each(conversions)("$name", (row) => {
    const schema = Type.Object({ v: row.optional ? Type.Optional(row.schema) : row.schema });
    checkRow(row, JSON.parse(JSON.stringify(schema)));
  });
});

const edit = Type.Object({
  path: Type.String(),
  edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })),
});

describe("errors", () => {
  it("name every fault and then show what was received", () => {
    const error = refusalOf(() =>
      validateToolArguments({ name: "edit", parameters: edit }, { edits: [{ oldText: "x" }, 7] }),
    );
    expect(error.message).toContain("- path: is missing (a string is required)");
    expect(error.message).toContain("- edits.0.newText: is missing");
    expect(error.message).toContain("- edits.1: must be an object");
    expect(error.message).toContain('Received arguments:\n{\n  "edits"');
  });

  it("case 8: a write without content names the field and keeps the path", () => {
    const write = Type.Object({ path: Type.String(), content: Type.String() });
    const error = refusalOf(() => validateToolArguments({ name: "write", parameters: write }, { path: "big.html" }));
    expect(error.message).toContain("content: is missing");
    expect(error.message).toContain("big.html");
  });

  it("cap the received arguments at 2 KB and the whole text at 4 KB", () => {
    const enumeration = Type.Object({
      v: Type.Union(Array.from({ length: 500 }, (_, n) => Type.Literal(`value ${n}`))),
    });
    const args = { v: "中".repeat(100_000) };
    const error = refusalOf(() => validateToolArguments({ name: "t", parameters: enumeration }, args));
    expect(Buffer.byteLength(error.message)).toBeLessThan(4096 + 128);
    expect(error.message).toContain("500 in all");
    expect(Buffer.byteLength(error.message.split("Received arguments:\n")[1]!)).toBeLessThan(2048 + 64);
  });

  it.each([[["ls"]], ["ls"], [7], [null]])("case 5: %j is no object", (args) => {
    const error = refusalOf(() => validateToolArguments({ name: "bash", parameters: edit }, args));
    expect(error.message).toContain("must be an object");
  });

  it("show a number out of range as it was, not as null", () => {
    const schema = Type.Object({ limit: Type.Number() });
    const error = refusalOf(() =>
      validateToolArguments({ name: "t", parameters: schema }, { limit: JSON.parse("1e309") }),
    );
    expect(error.message).toContain("Infinity");
  });

  it("refuse nesting beyond reason instead of exhausting the stack", () => {
    const deep = JSON.parse(`{"v":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const error = refusalOf(() =>
      validateToolArguments({ name: "t", parameters: Type.Object({ v: Type.Any() }) }, deep),
    );
    expect(error.message).toContain("nested deeper");
  });
});

describe("hostile keys (B18)", () => {
  it("__proto__ is dropped and changes no prototype", () => {
    const args = JSON.parse('{"v":{"__proto__":{"polluted":true}},"constructor":1}');
    const checked = validateToolArguments({ name: "t", parameters: Type.Object({ v: Type.Any() }) }, args);
    expect((checked.v as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.hasOwn(checked.v as object, "__proto__")).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("inherited names do not count as given fields", () => {
    const schema = Type.Object({ constructor: Type.String(), toString: Type.String() });
    const error = refusalOf(() => validateToolArguments({ name: "t", parameters: schema }, {}));
    expect(error.faults.map((fault) => fault.path).sort()).toEqual(["constructor", "toString"]);
  });
});

describe("references", () => {
  const plain = (schema: object) => ({ name: "t", parameters: schema as TSchema });

  it("4.15: a dangling one refuses only there", () => {
    const tool = plain({ type: "object", properties: { a: { $ref: "#/$defs/none" }, b: { type: "integer" } } });
    expect(validateToolArguments(tool, { b: "7" })).toEqual({ b: 7 });
    const error = refusalOf(() => validateToolArguments(tool, { a: 1, b: 2 }));
    expect(error.faults.map((fault) => fault.path)).toEqual(["a"]);
  });

  it("a dangling TypeBox one refuses only there", () => {
    const schema = Type.Object({ a: Type.Optional(Type.Ref("none")), b: Type.Number() });
    expect(validateToolArguments(plain(schema), { b: "7" })).toEqual({ b: 7 });
    expect(refusalOf(() => validateToolArguments(plain(schema), { a: 1, b: 7 })).faults[0]?.path).toBe("a");
  });

  it("a loop of references is refused, not followed for ever (B37)", () => {
    const tool = plain({
      type: "object",
      properties: { a: { $ref: "#/$defs/x" } },
      $defs: { x: { $ref: "#/$defs/x" } },
    });
    expect(refusalOf(() => validateToolArguments(tool, { a: 1 })).faults[0]?.path).toBe("a");
  });

  it("$defs and recursion convert at every depth", () => {
    const tool = plain({
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { n: { type: "number" }, next: { $ref: "#/$defs/node" } } } },
    });
    expect(validateToolArguments(tool, { tree: { n: "1", next: { n: "2" } } })).toEqual({
      tree: { n: 1, next: { n: 2 } },
    });
  });

  it("TypeBox recursion converts too", () => {
    const node = Type.Recursive((self) => Type.Object({ n: Type.Number(), next: Type.Optional(self) }));
    const checked = validateToolArguments(plain(Type.Object({ tree: node })), {
      tree: { n: "1", next: { n: "2", next: null } },
    });
    expect(checked).toEqual({ tree: { n: 1, next: { n: 2 } } });
  });
});

describe("prepareToolArguments", () => {
  it("E4: works on a copy; the stored call keeps the model's own arguments", () => {
    const stored = call({ list: ["a"] });
    const prepared = prepareToolArguments(
      { name: "t", prepareArguments: (args) => Object.assign(args as object, { added: 1 }) },
      stored,
    );
    expect(prepared).toEqual({ list: ["a"], added: 1 });
    expect(stored.arguments).toEqual({ list: ["a"] });
  });

  it("1.9: the same reference means unchanged", () => {
    expect(prepareToolArguments({ name: "t", prepareArguments: (args) => args }, call({ a: 1 }))).toEqual({ a: 1 });
  });

  it("an error in it becomes a refusal", () => {
    const prepareArguments = () => {
      throw new Error("old shape is not known");
    };
    expect(refusalOf(() => prepareToolArguments({ name: "t", prepareArguments }, call({}))).message).toContain(
      "old shape",
    );
  });

  it("D2: unreadable arguments are refused with the raw text, capped", () => {
    const raw = `{"path":"a","content":"${"x".repeat(10_000)}`;
    const error = refusalOf(() =>
      prepareToolArguments({ name: "write" }, call({}, { argumentsError: { message: "not complete JSON", raw } })),
    );
    expect(error.message).toContain("not complete JSON");
    expect(error.message).toContain('{"path":"a"');
    expect(error.message.length).toBeLessThan(2600);
  });
});
