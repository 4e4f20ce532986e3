import { count } from "../../../agent/format.ts";
import { readableText } from "../model/parts.ts";
import type { AnswerRow } from "../model/rows.ts";
import { Line, Sign } from "./small.tsx";
import { Markdown } from "./tree.tsx";

interface Block {
  kind: "text" | "thinking" | "toolCall" | "output";
  text: string;
  name?: string;
}

/** An answer, streaming or recorded: the same elements, so that nothing moves when the record takes the stream's place. */
export function Answer({ row }: { row: AnswerRow }) {
  const { message } = row;
  const blocks = blocksOf(row);
  const empty = blocks.every(({ text }) => text === "") && message?.errorMessage === undefined;
  if (message !== undefined && empty) return null;
  return (
    <article class={`row answer ${message ? "" : "streaming"}`} aria-label="Answer">
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {message?.errorMessage !== undefined && (
        <p class="note-error">
          <Sign state="failed" words="error" />
          <Line text={message.errorMessage} />
        </p>
      )}
      {message?.stopReason === "length" && <p class="note-warning">The answer was cut off: it was too long.</p>}
      {message?.stopReason === "aborted" && <p class="note-warning">Stopped in the middle of the answer.</p>}
    </article>
  );
}

/** Places in the list are those of the message's content, in both forms. */
function blocksOf({ message, live }: AnswerRow): Block[] {
  if (message === undefined) return live ?? [];
  return message.content.map((block): Block => {
    if (block.type === "text") return { kind: "text", text: block.text };
    if (block.type === "thinking") return { kind: "thinking", text: block.thinking };
    // A recorded call has its own row.
    return { kind: "toolCall", text: "" };
  });
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? null : <Markdown text={block.text} />;
    case "thinking":
      return block.text.trim() === "" ? null : (
        <details class="thinking">
          <summary>thinking · {count(block.text.trim().split(/\s+/).length, "word")}</summary>
          <p>{readableText(block.text)}</p>
        </details>
      );
    case "toolCall":
      return block.name === undefined ? null : (
        <p class="preparing call-line">
          <Sign state="none" words="is being written" />
          <b>{readableText(block.name)}</b> <span class="facts">{count(block.text.length, "character")} so far</span>
        </p>
      );
    default:
      return null;
  }
}
