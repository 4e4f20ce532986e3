import { resolve } from "node:path";
import { ConfigError, UserError } from "../config/errors.ts";
import { parseProjectRules, projectFileOf, readContent } from "../config/project-rules.ts";
import { setTrust } from "../config/trust.ts";
import { checkRules } from "../policy/check-rules.ts";
import { extensionFiles, folderHash, workspaceExtensions } from "../worker/extensions/discover.ts";
import type { MachineContext } from "./machine-commands.ts";

/** `tempi trust [folder]`: names what would count of a workspace's `.tempi`, and trusts exactly this content. */
export async function trustCommand(
  context: MachineContext,
  folder: string | undefined,
  flags: { revoke?: boolean },
): Promise<void> {
  const workspace = resolve(folder ?? process.cwd());
  const extensions = workspaceExtensions(workspace);
  const file = projectFileOf(workspace);
  if (flags.revoke) {
    for (const each of [extensions, file]) setTrust(context.home, each, undefined);
    context.say(`${extensions} and ${file} are not trusted any more`);
    return;
  }
  const hash = await folderHash(extensions);
  const content = readContent(file);
  if (hash === undefined && !content) {
    throw new UserError(`there is nothing to trust: ${extensions} is missing or empty, and there is no ${file}`, {
      next: "tempi trust FOLDER",
    });
  }
  // Checked before anything is trusted: rules that cannot be read would make everything ask.
  const project = content ? parseProjectRules(content.text, file) : undefined;
  const [error] = checkRules(project?.rules ?? []).errors;
  if (error) throw new ConfigError(error, `edit ${file}`);
  if (hash !== undefined) {
    setTrust(context.home, extensions, hash);
    for (const { path } of await extensionFiles(extensions)) context.write(`${path}\n`);
    context.say("trusted as they are now; they run as you, in the worker.");
  }
  if (content && project) {
    setTrust(context.home, file, content.hash);
    context.write(`${file}\n`);
    for (const notice of project.notices) context.say(notice);
    context.say(`trusted as it is now: ${project.rules.length} of its rules ask or deny.`);
  }
  context.say("A change asks anew. To take it back: tempi trust --revoke");
}
