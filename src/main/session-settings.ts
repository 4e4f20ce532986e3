import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import type { SettingFlags } from "../cli/services.ts";
import { allTools, chooseTools, toolsOfAuto } from "../config/active-tools.ts";
import { milliseconds } from "../config/duration.ts";
import { UsageError } from "../config/errors.ts";
import type { Config } from "../config/load.ts";
import { modelOptionsOf } from "../config/model-options.ts";
import type { ModelSettings, SessionSettings } from "../protocol/session.ts";

/** Who decides and stops on this machine: `user@host`. */
export const personHere = (): string => `${userInfo().username}@${hostname()}`;

/** Model settings of a name, or of the configured model. Throws UserError where it cannot be known. */
export async function modelSettings(
  values: Config["values"],
  name: string | undefined,
  folder: string,
): Promise<ModelSettings> {
  const { resolveModel } = await import("../config/providers.ts");
  return resolveModel(name, values, process.env, folder);
}

/** Settings of a new session in a workspace: flags over configuration. Throws UserError. */
export async function sessionSettings(
  values: Config["values"],
  flags: SettingFlags,
  folder: string,
): Promise<SessionSettings> {
  const approval = flags.approval ?? values.approval;
  const model = await modelSettings(values, flags.model, folder);
  return {
    model,
    thinking: flags.thinking ?? values.thinking,
    approval,
    activeTools: chooseTools(flags.tools, chooseTools(values.tools, approval === "auto" ? toolsOfAuto : allTools)),
    maxTurns: flags.maxTurns ?? values.max_turns,
    ...limitsOf(values, flags, model),
    ...(values.queue ? { queue: values.queue } : {}),
    ...promptFile(flags.systemPrompt ?? values.system_prompt, folder),
  };
}

/** Where the work ends. Throws UsageError for a budget that nobody could keep. */
function limitsOf(
  values: Config["values"],
  flags: SettingFlags,
  model: ModelSettings,
): Pick<SessionSettings, "until" | "timeoutMs" | "budget"> {
  const until = flags.until ?? values.until;
  const timeout = flags.timeout ?? values.timeout;
  const budget = flags.budget ?? values.budget;
  if (until?.trim() === "") throw new UsageError("the command of --until is empty", "--until 'npm test'");
  if (budget !== undefined && !isPriced(model, values)) {
    const name = `${model.provider}/${model.model}`;
    throw new UsageError(
      `a budget needs the price of ${name}, which is not known`,
      `set [models."${name}"] price = { input = DOLLARS, output = DOLLARS } (per million tokens) in config.toml`,
    );
  }
  return {
    ...(until === undefined ? {} : { until }),
    ...(timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** OpenRouter tells what each answer cost. */
const isPriced = ({ provider, model, baseUrl }: ModelSettings, values: Config["values"]): boolean =>
  modelOptionsOf(provider, model, values).price !== undefined ||
  (baseUrl !== undefined && /(^|\.)openrouter\.ai$/i.test(new URL(baseUrl).hostname));

/** Checked before a session exists; the worker reads it at each request. */
function promptFile(path: string | undefined, folder: string): { systemPromptFile?: string } {
  if (path === undefined) return {};
  const file = resolve(folder, path);
  if (!existsSync(file)) throw new UsageError(`there is no file ${file} for the system prompt`, "--system-prompt FILE");
  return { systemPromptFile: file };
}
