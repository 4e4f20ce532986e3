import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";

const root = fileURLToPath(new URL("../../", import.meta.url));
const workflowsPath = join(root, "workflows", "index.ts");
const interceptorsPath = join(root, "workflows", "interceptors.ts");
export const payloadConverterPath = join(root, "workflows", "payload-converter.ts");
const bundledFolders = ["workflows", "src/agent", "src/protocol", "src/schema"];

/** Where `npm ci` leaves the bundle it made (the `prepare` script); not there when scripts were off. */
export const packageCache = join(root, "node_modules", ".cache", "tempi");

/**
 * Path of the bundled workflow code. Bundling takes seconds, so the result is kept under the hash of all that goes into it:
 * in the package's cache where installing made it, else in `cacheFolder`.
 */
export async function workflowBundle(cacheFolder: string): Promise<{ codePath: string }> {
  const name = `workflows-${sourceHash()}.js`;
  const installed = join(packageCache, name);
  if (existsSync(installed)) return { codePath: installed };
  const codePath = join(cacheFolder, name);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      payloadConverterPath,
      workflowInterceptorModules: [interceptorsPath],
      logger: new DefaultLogger("ERROR"),
    });
    const temporary = `${codePath}.${process.pid}`;
    writeFileSync(temporary, code);
    renameSync(temporary, codePath);
  }
  return { codePath };
}

function sourceHash(): string {
  const hash = createHash("sha256").update(readFileSync(join(root, "package.json")));
  for (const folder of bundledFolders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (name.endsWith(".ts")) hash.update(name).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
