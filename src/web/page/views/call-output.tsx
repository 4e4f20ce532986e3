import { useRef, useState } from "preact/hooks";
import { count } from "../../../agent/format.ts";
import { type ToolResultMessage, textOf } from "../../../agent/messages.ts";
import { readableText } from "../model/parts.ts";

const tailLines = 12;
const shortLines = 4;
/** Characters of a line's tail while it grows: a progress bar is one long line. */
const liveCharacters = 8_000;

/** Output of a call: its last lines while it grows or failed, one line that opens it when all went well. */
export function Output({ result, live }: { result?: ToolResultMessage; live?: string }) {
  const [whole, setWhole] = useState(false);
  const wasLive = useRef(false);
  if (live !== undefined) wasLive.current = true;
  const full = result ? textOf(result.content) : (live ?? "");
  const text = readableText(whole || result ? full : full.slice(-liveCharacters)).replace(/\n+$/, "");
  if (text.trim() === "") return null;
  const lines = text.split("\n");
  // What was seen growing stays as it is: folding it would move all that follows.
  const showsTail = wasLive.current || result?.isError === true || lines.length <= shortLines;
  const shown = whole ? lines : showsTail ? lines.slice(-tailLines) : [];
  const hidden = lines.length - shown.length;
  return (
    <div class="output">
      {(hidden > 0 || whole) && lines.length > shortLines && (
        <button type="button" class="quiet fold" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole
            ? "▾ fold the output"
            : showsTail
              ? `▸ ${count(hidden, "line")} above`
              : `▸ output, ${count(lines.length, "line")}`}
        </button>
      )}
      {shown.length > 0 && <pre class={result ? "plain" : "plain growing"}>{shown.join("\n")}</pre>}
    </div>
  );
}
