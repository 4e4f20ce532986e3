import { clock, copyable } from "../../../agent/format.ts";
import { textOf } from "../../../agent/messages.ts";
import { imageAddress } from "../model/images.ts";
import { readableText } from "../model/parts.ts";
import { imagesOf, type NoteRow, type PromptRow } from "../model/rows.ts";
import { CopyText, Line, Sign } from "./small.tsx";

export const Prompt = ({ row }: { row: PromptRow }) => (
  <article class={row.source ? "row prompt check" : "row prompt"} aria-label={row.source ? "Check failed" : "Asked"}>
    <p class="prompt-text">{readableText(textOf(row.content))}</p>
    <Pictures content={row.content} />
    <span class="facts at">{clock(row.at)}</span>
  </article>
);

export const Note = ({ row }: { row: NoteRow }) => (
  <div class={`row note note-${row.tone}`}>
    {row.tone === "error" && <Sign state="failed" words="error" />}
    {row.tone === "warning" && <Sign state="none" words="note" />}
    <span>
      <Line text={row.text} />
      {row.next !== undefined && (
        <>
          {" "}
          Next: <CopyText text={readableText(copyable(row.next))} />
        </>
      )}
    </span>
    <span class="facts at">{clock(row.at)}</span>
  </div>
);

/** Pictures that stand in the message itself; nothing is fetched. */
export function Pictures({ content }: { content: Parameters<typeof imagesOf>[0] }) {
  const images = imagesOf(content);
  if (images.length === 0) return null;
  return (
    <div class="pictures">
      {images.map((image, at) => {
        const address = imageAddress(image);
        return address === undefined ? (
          <p key={at} class="facts">
            A picture of type {readableText(image.mimeType)} is not shown.
          </p>
        ) : (
          <img key={at} src={address} alt={`Result ${at + 1}`} />
        );
      })}
    </div>
  );
}
