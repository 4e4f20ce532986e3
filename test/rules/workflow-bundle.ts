import { existsSync } from "node:fs";
import { relative } from "node:path";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";

export interface WorkflowBundle {
  code: string;
  /** Files in the bundle; those of the project relative to its root. */
  modules: string[];
}

/** Bundles with no ignored modules: an import that the sandbox does not have is an error that names it. */
export async function bundleWorkflows(workflowsPath: string, root: string): Promise<WorkflowBundle> {
  if (!existsSync(workflowsPath)) {
    throw new Error(
      `${relative(root, workflowsPath)} does not exist: it exports every workflow and is what is bundled`,
    );
  }
  const complaints: string[] = [];
  const logger = new DefaultLogger("ERROR", ({ message }) => complaints.push(message));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger }).catch((error: unknown) => {
    throw new Error(["the workflows do not bundle:", ...complaints].join("\n"), { cause: error });
  });
  return { code, modules: modulesIn(code, root) };
}

function modulesIn(code: string, root: string): string[] {
  const map = code.match(/sourceMappingURL=data:application\/json;charset=utf-8;base64,([\w+/=]+)\s*$/)?.[1];
  if (map === undefined) throw new Error("the workflow bundle has no inline source map: its modules are unknown");
  const { sources } = JSON.parse(Buffer.from(map, "base64").toString("utf8")) as { sources: string[] };
  return sources.map((source) => toPath(source, root));
}

const toPath = (source: string, root: string): string => {
  const inside = relative(root, source);
  return inside.startsWith("..") ? source : inside;
};

/** Node modules that are in the bundle all the same, as externals or by a plain `require`. */
export const nodeModulesIn = ({ code, modules }: WorkflowBundle): string[] => [
  ...modules.filter((module) => /^(external |node:)/.test(module)),
  ...(code.match(/\brequire\(["']node:[^"']+["']\)/g) ?? []),
];
