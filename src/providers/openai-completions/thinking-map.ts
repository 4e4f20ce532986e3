import type { ModelRequest } from "../contract.ts";
import type { CompatFlags } from "./compat.ts";

type Thinking = ModelRequest["thinking"];
type ThinkingMap = NonNullable<ModelRequest["thinkingMap"]>;
type Value = string | number | boolean;

const levels: readonly Exclude<Thinking, "off">[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * Request fields of a level of a model whose levels the configuration names. A level that it does not have is the next higher
 * one, else the next lower one; `off` that is not named cannot be asked for, so nothing is sent.
 */
export function mappedThinkingFields(
  thinking: Thinking,
  map: ThinkingMap,
  compat: Pick<CompatFlags, "thinkingFormat">,
): Record<string, unknown> {
  const level = nearestLevel(thinking, map);
  const value = level === undefined ? undefined : map[level];
  if (value === undefined) return {};
  const enabled = level !== "off" && value !== false;
  switch (compat.thinkingFormat) {
    case "deepseek":
      return enabled ? { thinking: { type: "enabled" }, ...effort(value) } : { thinking: { type: "disabled" } };
    case "zai":
      return { thinking: { type: typeof value === "string" ? value : enabled ? "enabled" : "disabled" } };
    case "qwen":
      return { enable_thinking: enabled, ...(enabled && typeof value === "number" ? { thinking_budget: value } : {}) };
    case "template":
      return { chat_template_kwargs: { enable_thinking: enabled } };
    case "together":
      return { reasoning: { enabled }, ...(enabled ? effort(value) : {}) };
    case "openrouter":
      if (typeof value === "boolean") return { reasoning: { enabled: value } };
      return { reasoning: typeof value === "number" ? { max_tokens: value } : { effort: value } };
    default:
      // Also for endpoints of which nothing is known: the person says what this one takes, and this is the common field.
      return effort(value);
  }
}

/** A yes alone names no effort. */
const effort = (value: Value): Record<string, unknown> =>
  typeof value === "boolean" ? {} : { reasoning_effort: value };

function nearestLevel(thinking: Thinking, map: ThinkingMap): Thinking | undefined {
  if (thinking === "off") return "off";
  const at = levels.indexOf(thinking);
  return [...levels.slice(at), ...levels.slice(0, at).reverse()].find((level) => map[level] !== undefined);
}
