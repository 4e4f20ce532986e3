// Pure unit tests: exact parsing after harmless repairs (3.17–3.20), and the schemas that a tool may not have (B37).
import { Type } from "@sinclair/typebox";
import { describe, expect, it, test } from "vitest";
import { parseArguments } from "../../src/providers/openai-completions/arguments.ts";
import { parseJsonText, repairJsonText } from "../../src/schema/json-text.ts";
import { schemaFaults } from "../../src/schema/schema-faults.ts";

describe("repairs (3.18)", () => {
  test.each([
    ["a real newline and tab inside a string", '{"a":"x\n\ty"}', { a: "x\n\ty" }],
    ["other control characters", '{"a":"\u0001"}', { a: "\u0001" }],
    ["backslashes that escape nothing", String.raw`{"p":"C:\dir\q"}`, { p: String.raw`C:\dir\q` }],
    ["a cut \\u", String.raw`{"p":"\user"}`, { p: String.raw`\user` }],
    ["good escapes stay", String.raw`{"p":"\\d\n\u00e9\""}`, { p: '\\d\né"' }],
    ["newlines between values stay", '{\n"a":1\n}', { a: 1 }],
  ])("%s", (_name, text, right) => {
    expect(parseJsonText(text)).toEqual(right);
  });

  it("leaves a readable text alone", () => {
    const text = String.raw`{"a":"\"\\\n"}`;
    expect(repairJsonText(text)).toBe(text);
  });

  test.each(['{"a":"x', '{"a":1', '{"a":1,}', "{'a':1}", '{"a":1} {"a":2}', "{a:1}"])(
    "never completes or guesses: %s",
    (text) => {
      expect(() => parseJsonText(text)).toThrow(SyntaxError);
    },
  );
});

describe("arguments", () => {
  it("3.19: no text is no arguments", () => {
    expect(parseArguments("")).toEqual({ arguments: {} });
    expect(parseArguments(" \n")).toEqual({ arguments: {} });
  });

  it("an object encoded once more is unpacked", () => {
    expect(parseArguments(JSON.stringify('{"a":1}'))).toEqual({ arguments: { a: 1 } });
  });

  test.each([
    ["B26: a number out of range", '{"limit":1e309}', "too large"],
    ["3.20: a list", "[1,2]", "must be a JSON object"],
    ["two objects", '{"a":1}{"b":2}', "not one complete"],
    ["NaN", '{"a":NaN}', "not one complete"],
  ])("%s", (_name, text, reason) => {
    expect(parseArguments(text)).toEqual({
      arguments: {},
      argumentsError: { message: expect.stringContaining(reason), raw: text },
    });
  });

  it("the raw text of an error is capped", () => {
    const parsed = parseArguments(`{"a":"${"x".repeat(1_000_000)}`);
    expect("argumentsError" in parsed && parsed.argumentsError.raw.length).toBe(8_192);
  });

  it("B18: __proto__ is dropped", () => {
    const parsed = parseArguments('{"__proto__":{"x":1},"a":1}');
    expect(Object.getPrototypeOf(parsed.arguments)).toBe(Object.prototype);
    expect(parsed.arguments).toEqual({ a: 1 });
  });
});

describe("schemas that no tool may have (B37)", () => {
  test.each<[string, unknown, string]>([
    ["none", undefined, "must be a schema object"],
    ["not of an object", { type: "string" }, "type object"],
    [
      "an unknown type",
      { type: "object", properties: { a: { type: "text" } } },
      'parameters.a has the unknown type "text"',
    ],
    [
      "a loop of references",
      { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { $ref: "#/$defs/x" } } },
      "refers only to itself",
    ],
    ["over 1 MB", { type: "object", description: "x".repeat(2_000_000) }, "at most"],
    ["an invalid pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }, "invalid pattern"],
    ["anyOf that is no list", { type: "object", properties: { a: { anyOf: {} } } }, "must be a list"],
  ])("%s", (_name, schema, reason) => {
    expect(schemaFaults(schema).join("\n")).toContain(reason);
  });

  it("good ones, recursion and dangling references have no fault", () => {
    expect(schemaFaults(Type.Object({ a: Type.Optional(Type.String()) }))).toEqual([]);
    expect(
      schemaFaults(Type.Object({ a: Type.Recursive((self) => Type.Object({ next: Type.Optional(self) })) })),
    ).toEqual([]);
    expect(schemaFaults({ type: "object", properties: { a: { $ref: "#/none" } } })).toEqual([]);
    expect(schemaFaults({})).toEqual([]);
  });
});
