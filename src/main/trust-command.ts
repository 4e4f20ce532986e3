import { resolve } from "node:path";
import { UserError } from "../config/errors.ts";
import { setTrust } from "../config/trust.ts";
import { extensionFiles, folderHash, workspaceExtensions } from "../worker/extensions/discover.ts";
import type { MachineContext } from "./machine-commands.ts";

/** `tempi trust [folder]`: names what would be loaded from a workspace and trusts exactly this content. */
export async function trustCommand(
  context: MachineContext,
  folder: string | undefined,
  flags: { revoke?: boolean },
): Promise<void> {
  const extensions = workspaceExtensions(resolve(folder ?? process.cwd()));
  if (flags.revoke) {
    setTrust(context.home, extensions, undefined);
    context.say(`${extensions} is not trusted any more`);
    return;
  }
  const hash = await folderHash(extensions);
  if (hash === undefined)
    throw new UserError(`there is nothing to trust: ${extensions} is missing or empty`, { next: "tempi trust FOLDER" });
  setTrust(context.home, extensions, hash);
  for (const { path } of await extensionFiles(extensions)) context.write(`${path}\n`);
  context.say(
    "trusted as they are now; they run as you, in the worker. A change asks anew. To take it back: tempi trust --revoke",
  );
}
