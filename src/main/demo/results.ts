import { type StoredMessage, textOf } from "../../agent/messages.ts";

/** Texts of all tool results of a conversation. */
export const toolResultTexts = (messages: StoredMessage[]): string[] =>
  messages.flatMap(({ message }) => (message.role === "toolResult" ? [textOf(message.content)] : []));
