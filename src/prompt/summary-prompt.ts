import { type Message, textOf } from "../agent/messages.ts";

const resultCharacters = 2_000;

export const summarySystemPrompt =
  "You write hand-over notes for a coding agent that goes on with a conversation it can no longer read. You only write the notes; you do not answer or continue the conversation.";

/** The request for a summary of `messages`, with the notes of an earlier one. */
export function summaryRequest(messages: readonly Message[], earlier: string | undefined): string {
  const parts = [
    "Write notes of the conversation below under exactly these headings, leaving out what is empty: ## Goal, ## Constraints and decisions, ## Done, ## State of the files, ## Open, ## Next step. Keep exact names: paths, commands, identifiers, error texts, numbers. Say what was tried and did not work. At most 1,200 words.",
    ...(earlier
      ? [
          `<earlier_notes>\n${earlier}\n</earlier_notes>\nThese notes cover what came before; take over what still holds.`,
        ]
      : []),
    `<conversation>\n${messages.map(lineOf).join("\n\n")}\n</conversation>`,
    filesOf(messages),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** What stands in the place of the summarised messages. */
export const summaryMessageText = (summary: string): string =>
  `The conversation before this point was summarised to save space. Notes of it:\n\n${summary}`;

function lineOf(message: Message): string {
  if (message.role === "user") return `User: ${textOf(message.content)}`;
  if (message.role === "toolResult") {
    const text = textOf(message.content);
    const shown =
      text.length > resultCharacters
        ? `${text.slice(0, resultCharacters)}\n[… ${text.length} characters in all]`
        : text;
    return `Result of ${message.toolName}${message.isError ? " (error)" : ""}: ${shown}`;
  }
  // Thinking is left out: it is not part of what was said or done.
  const calls = message.content.flatMap((block) =>
    block.type === "toolCall"
      ? [`call ${block.name} ${JSON.stringify(block.arguments).slice(0, resultCharacters)}`]
      : [],
  );
  return [`Agent: ${textOf(message.content)}`, ...calls].join("\n");
}

/** Files that calls read and changed, so that the notes cannot lose them. */
function filesOf(messages: readonly Message[]): string {
  const read = new Set<string>();
  const changed = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall" || typeof block.arguments.path !== "string") continue;
      if (block.name === "read") read.add(block.arguments.path);
      if (block.name === "edit" || block.name === "write") changed.add(block.arguments.path);
    }
  }
  const list = (title: string, paths: Set<string>) => (paths.size > 0 ? [`${title}: ${[...paths].join(", ")}`] : []);
  return [...list("Files read", read), ...list("Files changed", changed)].join("\n");
}
