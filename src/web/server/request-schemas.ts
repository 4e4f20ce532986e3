import { type TObject, type TProperties, type TUnion, Type } from "@sinclair/typebox";
import { limits } from "../../protocol/limits.ts";

const exact = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: "must be an object" });

const oneOf = <T extends string>(...words: T[]) =>
  Type.Union(words.map((word) => Type.Literal(word))) as TUnion<ReturnType<typeof Type.Literal<T>>[]>;

const text = (maxLength: number, description: string, minLength = 1) =>
  Type.String({ minLength, maxLength, description });

const shortText = text(200, "must be a text of 1 to 200 characters");

// Shapes of src/web/api.ts. Nothing beyond them is taken: an ignored key is a wish that silently did not come true.
export const anySchema = Type.Unknown();
export const loginSchema = exact({ token: shortText });
export const pairSchema = exact({ code: shortText });
export const emptySchema = exact({});
export const startSchema = exact({
  id: Type.Optional(
    Type.String({
      pattern: "^[23456789abcdefghjkmnpqrstvwxyz]{6}$",
      description: "must be 6 characters of session ids",
    }),
  ),
  prompt: text(limits.promptBytes, `must be a text of at most ${limits.promptBytes} characters`),
  cwd: Type.String({ pattern: "^/", maxLength: 4096, description: "must be an absolute path" }),
  model: Type.Optional(shortText),
});
export const sendSchema = exact({
  id: Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$", description: "must be 1 to 64 letters, digits or -" }),
  text: text(limits.promptBytes, `must be a text of at most ${limits.promptBytes} characters`),
  delivery: oneOf("steer", "followUp"),
});
export const decideSchema = exact({
  approvalId: shortText,
  decision: oneOf("allow", "deny"),
  remember: Type.Optional(oneOf("session", "project")),
  args: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "must be an object" })),
  reason: Type.Optional(text(4_000, "must be a text of at most 4000 characters", 0)),
});
export const settingsSchema = exact({
  thinking: Type.Optional(oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max")),
  title: Type.Optional(shortText),
  forget: Type.Optional(Type.Array(text(500, "must hold keys of rules"), { maxItems: limits.rememberedRules })),
});
