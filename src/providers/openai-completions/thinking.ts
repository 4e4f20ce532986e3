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

const takesLevel = (model: string, { effortModels }: CompatFlags): boolean => new RegExp(effortModels, "i").test(model);

/** Request fields that ask for a thinking level. Nothing is sent where the model is not known to take it. */
export function thinkingFields(thinking: Thinking, model: string, compat: CompatFlags): Record<string, unknown> {
  const enabled = thinking !== "off";
  switch (compat.thinkingFormat) {
    case "deepseek":
      if (enabled) return { thinking: { type: "enabled" }, reasoning_effort: deepseekEfforts[thinking] };
      // The reasoner always thinks and refuses to be told not to.
      return /reasoner/i.test(model) ? {} : { thinking: { type: "disabled" } };
    case "zai":
      if (!takesLevel(model, compat)) return {};
      return { thinking: { type: enabled ? "enabled" : "disabled" } };
    case "qwen":
      return { enable_thinking: enabled };
    case "template":
      return { chat_template_kwargs: { enable_thinking: enabled } };
    case "together":
      return { reasoning: { enabled } };
    case "openrouter":
      // Some models behind it refuse to be told not to think.
      return enabled ? { reasoning: { effort: effortNames[thinking] } } : {};
    case "effort": {
      if (!enabled || compat.effortModels === "" || !takesLevel(model, compat)) return {};
      return { reasoning_effort: openaiEffort(thinking, model) };
    }
    case "none":
      return {};
  }
}

/** The first GPT-5 knows `minimal` and not `xhigh`, from 5.2 on it is the other way round; everything else has three efforts. */
function openaiEffort(thinking: Exclude<Thinking, "off">, model: string): string {
  const [, major, minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?/i.exec(model) ?? [];
  const version = major === undefined ? 0 : Number(major) * 100 + Number(minor);
  if (version === 500 && thinking === "minimal") return "minimal";
  if (version >= 502 && (thinking === "xhigh" || thinking === "max")) return "xhigh";
  return threeEfforts[thinking];
}
