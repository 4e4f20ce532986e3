import type { UserMessage } from "../agent/messages.ts";
import type { PromptSignal } from "./session.ts";

/** The message a prompt becomes: one function, so that the workflow and readers of history agree. */
export const promptMessage = ({ text, attachments, at }: PromptSignal): UserMessage => ({
  role: "user",
  content: [{ type: "text", text }, ...(attachments ?? [])],
  timestamp: at,
});
