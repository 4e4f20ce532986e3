import type { ActivityServices } from "../../activities/services.ts";
import { decisionKeyOf, type Home } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import { streamAssistant } from "../providers/index.ts";
import { builtInTools } from "../tools/index.ts";
import { apiKeyFor } from "./api-key.ts";

/** What a worker of this home offers to sessions. */
export function workerServices(
  home: Home,
): Pick<ActivityServices, "tools" | "streamAssistant" | "apiKeyFor" | "decisionKey"> {
  return {
    tools: builtInTools(),
    streamAssistant,
    apiKeyFor: (model) => apiKeyFor(home, model),
    decisionKey: () => (loadConfig(home).values.approval_proof === "off" ? undefined : decisionKeyOf(home)),
  };
}
