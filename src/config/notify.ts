import type { ConfigFile } from "./schema.ts";

/** Who is told when a session waits. */
export interface NotifyTargets {
  /** The terminal that follows the session. */
  terminal: boolean;
  /** For `sh -c`. */
  command?: string;
  url?: string;
}

/** Targets of `notify = "on" | "off"` and of the table `[notify]`. */
export function notifyTargets({ notify }: Pick<ConfigFile, "notify">): NotifyTargets {
  if (notify === undefined || typeof notify === "string") return { terminal: notify !== "off" };
  const { terminal, command, url } = notify;
  return { terminal: terminal !== "off", ...(command ? { command } : {}), ...(url ? { url } : {}) };
}
