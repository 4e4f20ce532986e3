import { type StoredMessage, textOf } from "../../agent/messages.ts";
import { commandsRun, fileChanges, lastTest, patchesOf } from "../../agent/session-account.ts";
import type { SessionAccount } from "../../client/contract.ts";
import type { SessionView } from "../api.ts";

/** What the page opens a session with. `temporalUi` is the UI's base, where the browser can reach it. */
export function sessionView(account: SessionAccount, temporalUi: string | undefined): SessionView {
  const { messages, summary, turns, usage, live, cause, next } = account;
  const patches = patchesOf(messages);
  const commands = commandsRun(messages);
  const test = lastTest(commands);
  return {
    summary,
    answer: answerOf(messages),
    turns,
    usage,
    files: fileChanges(messages).map((file) => ({ ...file, patches: patches.get(file.path) ?? [] })),
    commands: {
      run: commands.length,
      failed: commands.filter(({ failed }) => failed),
      ...(test ? { lastTest: test } : {}),
    },
    rules: live?.rules ?? [],
    ...(cause ? { cause } : {}),
    ...(next ? { next } : {}),
    ...(temporalUi ? { temporalUi: `${temporalUi}${account.temporalUiPath}` } : {}),
  };
}

function answerOf(messages: readonly StoredMessage[]): string {
  const prompt = messages.findLastIndex(({ message }) => message.role === "user");
  for (const { message } of messages.slice(prompt + 1).reverse()) {
    if (message.role !== "assistant") continue;
    const text = textOf(message.content);
    if (text.trim() !== "") return text;
  }
  return "";
}
