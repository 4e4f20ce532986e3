import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { newSessionId } from "../cli/ids.ts";
import { titleOf } from "../cli/prompt-text.ts";
import { workspaceOf } from "../cli/workspace.ts";
import type { SessionClient } from "../client/contract.ts";
import { isUserError, UsageError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { limits } from "../protocol/limits.ts";
import { sessionIdPattern } from "../protocol/session.ts";
import { commandEnvironment } from "../tools/command-environment.ts";
import type { NewSessionOptions, StartAnswer, StartRequest } from "../web/api.ts";
import { checkModelName } from "./check-model-name.ts";
import { modelSettings, sessionSettings } from "./session-settings.ts";

const foldersShown = 20;

/** Starts a session as `tempi run` does. A request that comes again with the same id is the same session. Throws UserError. */
export async function startFromPage(
  client: Pick<SessionClient, "start">,
  home: Home,
  request: StartRequest,
): Promise<StartAnswer> {
  const { id: sessionId = newSessionId(), prompt, cwd, model } = request;
  if (!sessionIdPattern.test(sessionId)) throw new UsageError("that is no id of a session");
  const text = prompt.trimEnd();
  if (text.trim() === "") throw new UsageError("the prompt is empty", "write what to do");
  if (Buffer.byteLength(text) > limits.promptBytes) {
    throw new UsageError(
      `the prompt is longer than ${limits.promptBytes / 1024} KB`,
      "write the text into a file of the workspace and name it in the prompt",
    );
  }
  if (!isAbsolute(cwd)) throw new UsageError("the workspace must be an absolute path", "name a folder from / on");
  const workspace = workspaceOf(cwd, undefined, {
    yes: false,
    next: "choose the folder of a project, or start it in a terminal: tempi run --cwd FOLDER",
  });
  const { values } = pageConfig(home);
  const settings = await sessionSettings(values, model === undefined ? {} : { model }, workspace.cwd);
  await checkModelName(home, settings.model, values, process.env);
  const input = {
    v: 1 as const,
    sessionId,
    title: titleOf(text),
    cwd: workspace.cwd,
    repository: workspace.repository,
    environment: commandEnvironment(process.env),
    settings,
    closeAfterMs: limits.closeAfterMs,
  };
  try {
    // An id of the prompt that follows from the session's: sent again it is the prompt that is there.
    await client.start(input, { id: `start-${sessionId}`, text });
  } catch (error) {
    // Started before, and closed since.
    if ((error as Error).name !== "WorkflowExecutionAlreadyStartedError") throw error;
  }
  return { sessionId };
}

/** What the page offers for a new session: folders of earlier ones that are still there, and the configured model. */
export async function newSessionOptions(client: Pick<SessionClient, "list">, home: Home): Promise<NewSessionOptions> {
  const sessions = (await client.list()).sort((a, b) => b.startedAt - a.startedAt);
  const folders = new Map(sessions.map(({ cwd, repository }) => [cwd, { cwd, repository }]));
  const present = [...folders.values()].filter(({ cwd }) => statSync(cwd, { throwIfNoEntry: false })?.isDirectory());
  return { folders: present.slice(0, foldersShown), ...(await configuredModel(home)) };
}

async function configuredModel(home: Home): Promise<Pick<NewSessionOptions, "model" | "error">> {
  try {
    const { provider, model } = await modelSettings(pageConfig(home).values, undefined, home.root);
    return { model: provider === "scripted" ? `scripted:${model}` : `${provider}/${model}` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { error: { error: error.message, ...(error.next === undefined ? {} : { next: error.next }) } };
  }
}

/**
 * Configuration of sessions that the page starts. `auto` counts only where the user's file says so: a variable was meant for the terminal
 * it was set in, from which the page's process happens to come.
 */
function pageConfig(home: Home): Config {
  const config = loadConfig(home);
  if (config.values.approval !== "auto" || config.origins.approval === home.configFile) return config;
  return loadConfig(home, { environment: { ...process.env, TEMPI_APPROVAL: undefined } });
}
