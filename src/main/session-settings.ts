import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import type { SettingFlags } from "../cli/services.ts";
import { allTools, chooseTools, toolsOfAuto } from "../config/active-tools.ts";
import { UsageError } from "../config/errors.ts";
import type { Config } from "../config/load.ts";
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
  return {
    model: await modelSettings(values, flags.model, folder),
    thinking: flags.thinking ?? values.thinking,
    approval,
    activeTools: chooseTools(flags.tools, chooseTools(values.tools, approval === "auto" ? toolsOfAuto : allTools)),
    maxTurns: flags.maxTurns ?? values.max_turns,
    ...(values.queue ? { queue: values.queue } : {}),
    ...promptFile(flags.systemPrompt ?? values.system_prompt, folder),
  };
}

/** Checked before a session exists; the worker reads it at each request. */
function promptFile(path: string | undefined, folder: string): { systemPromptFile?: string } {
  if (path === undefined) return {};
  const file = resolve(folder, path);
  if (!existsSync(file)) throw new UsageError(`there is no file ${file} for the system prompt`, "--system-prompt FILE");
  return { systemPromptFile: file };
}
