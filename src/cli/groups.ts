import type { SessionStateName } from "../agent/events.ts";
import type { SessionSummary } from "../client/contract.ts";

export type GroupName = "Needs you" | "Working" | "Done";
export const groupNames: readonly GroupName[] = ["Needs you", "Working", "Done"];

export function groupOf(state: SessionStateName): GroupName {
  if (state === "waiting" || state === "blocked") return "Needs you";
  return state === "running" || state === "retrying" || state === "offline" ? "Working" : "Done";
}

/** Whether a session belongs to where the person stands: the same repository or a folder of the same tree. */
export const isHere = (session: SessionSummary, here: { cwd: string; repository: string; root: string }): boolean =>
  session.cwd === here.root || session.cwd === here.cwd || session.cwd.startsWith(`${here.root}/`);
