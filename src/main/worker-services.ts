import type { ActivityServices } from "../../activities/services.ts";
import { decisionKeyOf, type Home } from "../config/home.ts";
import { streamAssistant } from "../providers/index.ts";
import { builtInTools } from "../tools/index.ts";

/** What a worker of this home offers to sessions. */
export function workerServices(
  home: Home,
): Pick<ActivityServices, "tools" | "streamAssistant" | "apiKeyFor" | "decisionKey"> {
  return {
    tools: builtInTools(),
    streamAssistant,
    apiKeyFor: async (model) => (model.keyVariable ? process.env[model.keyVariable] : undefined),
    decisionKey: () => decisionKeyOf(home),
  };
}
