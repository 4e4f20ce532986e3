import type { Toolset } from "../../../activities/services.ts";
import { nothingRegistered } from "../../agent/extension.ts";
import type { ToolDefinition } from "../../agent/tool.ts";
import type { Home } from "../../config/home.ts";
import { isTrusted } from "../../config/trust.ts";
import { extensionFiles, folderHash, userExtensions, workspaceExtensions } from "./discover.ts";
import { loadExtension } from "./load.ts";

/** Finds and loads what counts for a workspace: the user's extensions, and the workspace's own where they were trusted. */
export async function toolsetOf(home: Home, cwd: string, builtIn: ToolDefinition[]): Promise<Toolset> {
  const faults: string[] = [];
  const files = await extensionFiles(userExtensions(home));
  const folder = workspaceExtensions(cwd);
  const hash = await folderHash(folder);
  if (hash !== undefined) {
    if (isTrusted(home, folder, hash)) files.push(...(await extensionFiles(folder)));
    else faults.push(`${folder} is not trusted (or changed since) and was not loaded. Next: tempi trust ${cwd}`);
  }
  const all = nothingRegistered();
  for (const loaded of await Promise.all(files.map(loadExtension))) {
    if ("fault" in loaded) {
      faults.push(`extension ${loaded.file.path} was skipped: ${loaded.fault}`);
      continue;
    }
    const twice = loaded.registered.tools.find(({ run }) => all.tools.some((tool) => tool.run.name === run.name));
    if (twice) {
      const other = all.tools.find((tool) => tool.run.name === twice.run.name)!.from;
      faults.push(`extension ${loaded.file.path} was skipped: ${other} has a tool "${twice.run.name}" already`);
      continue;
    }
    all.tools.push(...loaded.registered.tools);
    all.before.push(...loaded.registered.before);
    all.after.push(...loaded.registered.after);
    all.listeners.push(...loaded.registered.listeners);
  }
  const own = all.tools.map(({ run }) => run);
  const names = own.map(({ name }) => name);
  const replaced = builtIn.map((tool) => own.find(({ name }) => name === tool.name) ?? tool);
  return {
    tools: [...replaced, ...own.filter(({ name }) => !builtIn.some((tool) => tool.name === name))],
    extensionTools: names,
    hooks: all,
    faults,
  };
}
