import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { DecisionVia } from "../src/agent/approval.ts";
import { limits } from "../src/protocol/limits.ts";

/**
 * Shapes of the signals. Whatever anyone sends (the Temporal CLI and UI can send anything) is checked here, inside the
 * guarded pump, and copied by own keys, so that nothing unexpected reaches the session.
 */
const id = Type.String({ pattern: "^[A-Za-z0-9_.:-]{1,64}$" });
const name = Type.String({ maxLength: 500 });
const modelSettings = Type.Object({
  provider: name,
  model: Type.String({ minLength: 1, maxLength: 4_096 }),
  baseUrl: Type.Optional(name),
  keyVariable: Type.Optional(name),
  contextWindow: Type.Optional(Type.Number()),
  maxOutput: Type.Optional(Type.Number()),
});
const levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export const signalShapes = {
  prompt: Type.Object({
    id,
    text: Type.String({ minLength: 1, maxLength: limits.promptBytes }),
    at: Type.Number(),
    attachments: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: name }), { maxItems: 8 }),
    ),
    delivery: Type.Union([Type.Literal("steer"), Type.Literal("followUp")]),
  }),
  decide: Type.Object({
    id,
    approvalId: name,
    decision: Type.Union([Type.Literal("allow"), Type.Literal("deny")]),
    remember: Type.Optional(Type.Union([Type.Literal("session"), Type.Literal("project")])),
    args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    reason: Type.Optional(Type.String({ maxLength: 4_096 })),
    by: name,
    via: Type.Optional(
      Type.Union(["page", "command", "terminal", "signal", "deadline"].map((via) => Type.Literal(via as DecisionVia))),
    ),
    proof: Type.String({ maxLength: 200 }),
  }),
  abort: Type.Object({ id, by: name, reason: Type.Optional(Type.String({ maxLength: 4_096 })) }),
  configure: Type.Object({
    id,
    model: Type.Optional(modelSettings),
    thinking: Type.Optional(Type.Union(levels.map((level) => Type.Literal(level)))),
    activeTools: Type.Optional(Type.Array(name, { maxItems: 200 })),
    approval: Type.Optional(Type.Union([Type.Literal("ask"), Type.Literal("edits"), Type.Literal("auto")])),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    forget: Type.Optional(Type.Array(name, { maxItems: limits.rememberedRules })),
    proof: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  retry: Type.Object({ id, by: name }),
  finish: Type.Object({ id, by: name }),
};

export type SignalName = keyof typeof signalShapes;
export type DecodedSignal = { [K in SignalName]: { name: K; payload: Static<(typeof signalShapes)[K]> } }[SignalName];

export const isSignalName = (text: string): text is SignalName => Object.hasOwn(signalShapes, text);

/** The signal with known keys only, or what is wrong with it. */
export function decodeSignal(signal: SignalName, payload: unknown): DecodedSignal | { error: string } {
  const shape = signalShapes[signal];
  if (!Value.Check(shape, payload)) {
    const fault = Value.Errors(shape, payload).First();
    return {
      error: `signal "${signal}" ignored: ${fault ? `${fault.path || "payload"} ${fault.message}` : "not readable"}`,
    };
  }
  // Checked arguments are signed, prepared and executed: each step holds them again, and all must fit the engine's limits.
  if (
    signal === "decide" &&
    JSON.stringify((payload as { args?: unknown }).args ?? null).length > limits.editedArgumentsCharacters
  ) {
    return {
      error: `signal "decide" ignored: edited arguments may have ${limits.editedArgumentsCharacters} characters at most`,
    };
  }
  // Clean removes unknown keys in place, so it works on a copy.
  return { name: signal, payload: Value.Clean(shape, Value.Clone(payload)) } as DecodedSignal;
}
