import { UserError } from "../config/errors.ts";

/**
 * Folder the command works on. `npm run tempi` runs in the package's folder and names the caller's in INIT_CWD: that is the one
 * that is meant. In scripts of other packages INIT_CWD only says where npm was called, and their own `cd` counts.
 */
export function workingFolder(environment: NodeJS.ProcessEnv): string {
  const { npm_lifecycle_event, npm_execpath, npm_package_name, INIT_CWD } = environment;
  if ((npm_lifecycle_event || npm_execpath) && npm_package_name === "tempi" && INIT_CWD) return INIT_CWD;
  try {
    return process.cwd();
  } catch {
    throw new UserError("this folder does not exist any more.", { next: "cd to a folder that exists" });
  }
}
