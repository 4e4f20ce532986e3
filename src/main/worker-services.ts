import type { ActivityServices } from "../../activities/services.ts";
import { decisionKeyOf, type Home } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import { modelOptionsOf } from "../config/model-options.ts";
import { notifyTargets } from "../config/notify.ts";
import { streamAssistant } from "../providers/index.ts";
import { builtInTools } from "../tools/index.ts";
import { toolsetOf } from "../worker/extensions/toolset.ts";
import { apiKeyFor } from "./api-key.ts";
import { rulesOf } from "./rules.ts";
import { pageAddress, readWebFile } from "./up-state.ts";

/** What a worker of this home offers to sessions. */
export function workerServices(
  home: Home,
): Pick<
  ActivityServices,
  "toolset" | "rules" | "streamAssistant" | "apiKeyFor" | "modelOptions" | "decisionKey" | "notifyTargets"
> {
  const builtIn = builtInTools();
  return {
    toolset: (cwd) => toolsetOf(home, cwd, builtIn),
    rules: (cwd) => rulesOf(home, cwd),
    streamAssistant,
    apiKeyFor: (model) => apiKeyFor(home, model),
    modelOptions: ({ provider, model }) => modelOptionsOf(provider, model, loadConfig(home).values),
    decisionKey: () => (loadConfig(home).values.approval_proof === "off" ? undefined : decisionKeyOf(home)),
    notifyTargets: () => {
      const { command, url } = notifyTargets(loadConfig(home).values);
      const page = pageAddress(readWebFile(home));
      return { ...(command ? { command } : {}), ...(url ? { url } : {}), ...(page ? { page } : {}) };
    },
  };
}
