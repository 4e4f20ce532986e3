import type { ModelRequest } from "../contract.ts";
import type { CompatFlags } from "./compat.ts";

type Thinking = ModelRequest["thinking"];

/** Levels by the name that `reasoning_effort` has for them. */
const effortNames: Record<Exclude<Thinking, "off">, string> = {
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "xhigh",
};

const threeEfforts: Record<Exclude<Thinking, "off">, string> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

const deepseekEfforts: Record<Exclude<Thinking, "off">, string> = { ...threeEfforts, xhigh: "max", max: "max" };

/** Request fields that ask for a thinking level. Nothing is sent where the model is not known to take it. */
export function thinkingFields(thinking: Thinking, model: string, compat: CompatFlags): Record<string, unknown> {
  const enabled = thinking !== "off";
  switch (compat.thinkingFormat) {
    case "deepseek":
      if (enabled) return { thinking: { type: "enabled" }, reasoning_effort: deepseekEfforts[thinking] };
      // The reasoner always thinks and refuses to be told not to.
      return /reasoner/i.test(model) ? {} : { thinking: { type: "disabled" } };
    case "zai":
      return { thinking: { type: enabled ? "enabled" : "disabled" } };
    case "qwen":
      return { enable_thinking: enabled };
    case "openrouter":
      // Some models behind it refuse to be told not to think.
      return enabled ? { reasoning: { effort: effortNames[thinking] } } : {};
    case "effort": {
      if (!enabled || compat.effortModels === "" || !new RegExp(compat.effortModels, "i").test(model)) return {};
      // Only OpenAI's own models know levels beyond these three.
      const names = /^gpt-([5-9]|\d\d)/i.test(model) ? effortNames : threeEfforts;
      return { reasoning_effort: names[thinking] };
    }
    case "none":
      return {};
  }
}
