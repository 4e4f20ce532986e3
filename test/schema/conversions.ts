import { type TSchema, Type } from "@sinclair/typebox";

/** One row of the table: a schema for the field `v`, the field's value, and what it must become (or the reason's words). */
export interface Row {
  name: string;
  schema: TSchema;
  input: unknown;
  output?: unknown;
  /** The value is refused at this path with a message holding this text. */
  refused?: { path: string; text: string };
  optional?: boolean;
  /** The field is gone afterwards. */
  dropped?: boolean;
}

const refused = (text: string, path = "v") => ({ refused: { path, text } });
const edits = Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() }));

export const conversions: Row[] = [
  // 4.1 number
  { name: "number from text", schema: Type.Number(), input: "123", output: 123 },
  { name: "number from padded text", schema: Type.Number(), input: " 12 ", output: 12 },
  { name: "number from empty text", schema: Type.Number(), input: "", output: 0 },
  { name: "number from hexadecimal text", schema: Type.Number(), input: "0x10", output: 16 },
  { name: "number from true", schema: Type.Number(), input: true, output: 1 },
  { name: "number from false", schema: Type.Number(), input: false, output: 0 },
  { name: "number keeps a fraction", schema: Type.Number(), input: "3.5", output: 3.5 },
  { name: "number from null", schema: Type.Number(), input: null, ...refused("null was given") },
  { name: "number from words", schema: Type.Number(), input: "abc", ...refused("must be a number") },
  { name: "number from NaN as text (B26)", schema: Type.Number(), input: "NaN", ...refused("must be a number") },
  { name: "number from 1e309 as text (B26)", schema: Type.Number(), input: "1e309", ...refused("must be a number") },
  { name: "number 1e309 (B26)", schema: Type.Number(), input: Number.POSITIVE_INFINITY, ...refused("finite") },
  { name: "number NaN (B26)", schema: Type.Number(), input: Number.NaN, ...refused("finite") },
  { name: "number from a list", schema: Type.Number(), input: [1], ...refused("an array was given") },
  {
    name: "number -1 below its minimum (B26)",
    schema: Type.Number({ minimum: 0 }),
    input: -1,
    ...refused("at least 0"),
  },
  // 4.2 integer: our decision, no truncation
  { name: "integer from text", schema: Type.Integer(), input: "7", output: 7 },
  { name: "integer from a whole fraction", schema: Type.Integer(), input: "3.0", output: 3 },
  { name: "integer from a fraction as text", schema: Type.Integer(), input: "3.5", ...refused("must be an integer") },
  { name: "integer from a fraction", schema: Type.Integer(), input: 3.5, ...refused("3.5") },
  { name: "integer 2^53 (B26)", schema: Type.Integer(), input: 2 ** 53, ...refused("must lie between") },
  {
    name: "integer 2^53 as text (B26)",
    schema: Type.Integer(),
    input: "9007199254740992",
    ...refused("must be an integer"),
  },
  // 4.3 boolean
  { name: "boolean from true text", schema: Type.Boolean(), input: "true", output: true },
  { name: "boolean from upper case", schema: Type.Boolean(), input: "TRUE", output: true },
  { name: "boolean from False", schema: Type.Boolean(), input: "False", output: false },
  { name: "boolean from 1", schema: Type.Boolean(), input: 1, output: true },
  { name: "boolean from 0", schema: Type.Boolean(), input: 0, output: false },
  { name: "boolean from yes", schema: Type.Boolean(), input: "yes", ...refused("must be a boolean") },
  { name: "boolean from 2", schema: Type.Boolean(), input: 2, ...refused("must be a boolean") },
  { name: "boolean from null", schema: Type.Boolean(), input: null, ...refused("null was given") },
  // 4.4, 4.7 string
  { name: "string from a number", schema: Type.String(), input: 5, output: "5" },
  { name: "string from a boolean", schema: Type.String(), input: true, output: "true" },
  {
    name: "string from an object (case 4)",
    schema: Type.String(),
    input: { name: "demo" },
    ...refused("send it as one string"),
  },
  { name: "string from a list", schema: Type.String(), input: ["ls"], ...refused("send it as one string") },
  { name: "string from null", schema: Type.String(), input: null, ...refused("null was given") },
  {
    name: "string that looks like a list (case 2)",
    schema: Type.String(),
    input: '[note]: {"a":1}\nsecond line',
    output: '[note]: {"a":1}\nsecond line',
  },
  { name: "string that is JSON (case 2)", schema: Type.String(), input: '["a"]', output: '["a"]' },
  // 4.5 wrapping
  { name: "array wraps a text", schema: Type.Array(Type.String()), input: "a", output: ["a"] },
  {
    name: "array wraps an object",
    schema: Type.Array(Type.Object({ a: Type.String() })),
    input: { a: "x" },
    output: [{ a: "x" }],
  },
  { name: "array converts items", schema: Type.Array(Type.Number()), input: ["1", 2], output: [1, 2] },
  { name: "array wraps and converts", schema: Type.Array(Type.Number()), input: "5", output: [5] },
  { name: "array from null", schema: Type.Array(Type.String()), input: null, ...refused("null was given") },
  {
    name: "wrapped object with a fault",
    schema: edits,
    input: { oldText: "x" },
    ...refused("is missing", "v.0.newText"),
  },
  // 4.6 JSON text, our decision
  {
    name: "array from JSON text (case 1)",
    schema: edits,
    input: '[{"oldText":"x","newText":"y"}]',
    output: [{ oldText: "x", newText: "y" }],
  },
  {
    name: "array from JSON text with a raw newline",
    schema: edits,
    input: '[{"oldText":"x\n","newText":"y"}]',
    output: [{ oldText: "x\n", newText: "y" }],
  },
  {
    name: "array from text that is not JSON (case 1)",
    schema: edits,
    input: '[{"oldText":"x"',
    ...refused("not valid JSON"),
  },
  {
    name: "array from a JSON text of one object",
    schema: edits,
    input: '{"oldText":"x","newText":"y"}',
    output: [{ oldText: "x", newText: "y" }],
  },
  { name: "array of texts from JSON text", schema: Type.Array(Type.String()), input: '["a","b"]', output: ["a", "b"] },
  {
    name: "array of texts, more than one value",
    schema: Type.Array(Type.String()),
    input: '["a"] and more',
    output: ['["a"] and more'],
  },
  { name: "object from JSON text", schema: Type.Object({ a: Type.Number() }), input: ' {"a":"1"} ', output: { a: 1 } },
  {
    name: "object from other JSON text",
    schema: Type.Object({ a: Type.Number() }),
    input: "[1]",
    ...refused("must be an object"),
  },
  {
    name: "JSON text inside JSON text",
    schema: Type.Object({ list: Type.Array(Type.Object({ n: Type.Number() })) }),
    input: '{"list":"[\\"{\\\\\\"n\\\\\\":1}\\"]"}',
    output: { list: [{ n: 1 }] },
  },
  // 4.8 null for an optional property
  { name: "optional number null", schema: Type.Number(), input: null, optional: true, dropped: true },
  { name: "optional string null", schema: Type.String(), input: null, optional: true, dropped: true },
  { name: "optional array null", schema: Type.Array(Type.String()), input: null, optional: true, dropped: true },
  {
    name: "optional nullable null",
    schema: Type.Union([Type.String(), Type.Null()]),
    input: null,
    optional: true,
    output: null,
  },
  {
    name: "null of an optional field deep inside",
    schema: Type.Array(Type.Object({ a: Type.Optional(Type.Number()), b: Type.String() })),
    input: [{ a: null, b: "x" }],
    output: [{ b: "x" }],
  },
  // 4.9 unions
  {
    name: "number or string keeps a text",
    schema: Type.Union([Type.Number(), Type.String()]),
    input: "5",
    output: "5",
  },
  {
    name: "number or boolean, the first arm decides",
    schema: Type.Union([Type.Number(), Type.Boolean()]),
    input: "true",
    output: 1,
  },
  {
    name: "boolean or number, the first arm decides",
    schema: Type.Union([Type.Boolean(), Type.Number()]),
    input: "true",
    output: true,
  },
  {
    name: "string or list keeps JSON text",
    schema: Type.Union([Type.String(), Type.Array(Type.String())]),
    input: '["a"]',
    output: '["a"]',
  },
  {
    name: "number or null from text null",
    schema: Type.Union([Type.Number(), Type.Null()]),
    input: "null",
    output: null,
  },
  {
    name: "union of objects converts inside",
    schema: Type.Union([
      Type.Object({ kind: Type.Literal("a"), n: Type.Number() }),
      Type.Object({ kind: Type.Literal("b"), s: Type.String() }),
    ]),
    input: { kind: "b", s: 5 },
    output: { kind: "b", s: "5" },
  },
  {
    name: "union that fits nowhere",
    schema: Type.Union([Type.Number(), Type.Boolean()]),
    input: "perhaps",
    ...refused("a number or a boolean"),
  },
  // 4.10 literals and enums
  { name: "literal 2 from text", schema: Type.Union([Type.Literal(2), Type.Literal("a")]), input: "2", output: 2 },
  { name: "literal true from text", schema: Type.Literal(true), input: "TRUE", output: true },
  {
    name: "literal not among them",
    schema: Type.Union([Type.Literal(2), Type.Literal("a")]),
    input: "c",
    ...refused('2, "a"'),
  },
  {
    name: "enum lists its values",
    schema: Type.Unsafe<string>({ type: "string", enum: ["a", "b"] }),
    input: "c",
    ...refused('"a", "b"'),
  },
  { name: "enum of numbers from text", schema: Type.Unsafe<number>({ enum: [1, 2] }), input: "2", output: 2 },
  // 4.11 extra fields
  {
    name: "extra fields pass (case 7)",
    schema: edits,
    input: [{ oldText: "x", newText: "y", reason: "tidy" }],
    output: [{ oldText: "x", newText: "y", reason: "tidy" }],
  },
  {
    name: "extra fields forbidden",
    schema: Type.Object({ a: Type.String() }, { additionalProperties: false }),
    input: { a: "x", b: 1 },
    ...refused("is not allowed", "v.b"),
  },
  {
    name: "values of a record convert",
    schema: Type.Record(Type.String(), Type.Number()),
    input: { a: "1" },
    output: { a: 1 },
  },
  // E1 allOf and tuples
  {
    name: "allOf converts through every part",
    schema: Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Boolean() })]),
    input: { a: "1", b: "false" },
    output: { a: 1, b: false },
  },
  {
    name: "tuple converts by position",
    schema: Type.Tuple([Type.Number(), Type.String()]),
    input: ["1", 2],
    output: [1, "2"],
  },
  // 4.12 the dotted path
  {
    name: "path of a missing field (B25)",
    schema: edits,
    input: [{ oldText: "x" }],
    ...refused("is missing", "v.0.newText"),
  },
  {
    name: "null where a field is required (B25)",
    schema: edits,
    input: [{ oldText: "x", newText: null }],
    ...refused("null was given", "v.0.newText"),
  },
  {
    name: "empty text where one is needed",
    schema: Type.String({ minLength: 1 }),
    input: "",
    ...refused("must not be empty"),
  },
  { name: "pattern", schema: Type.String({ pattern: "^a+$" }), input: "b", ...refused("must match the pattern") },
  {
    name: "unknown formats are no reason to refuse",
    schema: Type.String({ format: "uri" }),
    input: "http://x",
    output: "http://x",
  },
];
