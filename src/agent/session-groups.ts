import type { SessionStateName } from "./events.ts";

/** How lists of sessions are divided, in their order. */
export type GroupName = "Needs you" | "Working" | "Done";
export const groupNames: readonly GroupName[] = ["Needs you", "Working", "Done"];

export function groupOf(state: SessionStateName): GroupName {
  if (state === "waiting" || state === "blocked") return "Needs you";
  return state === "running" || state === "retrying" || state === "offline" ? "Working" : "Done";
}
