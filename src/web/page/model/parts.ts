import { showBlankRuns, visibleText } from "../../../agent/visible-text.ts";

const mostLines = 16;
const mostCharacters = 1_200;

/** Text of a call as a person must read it: nothing acts or hides, long runs of blanks are named. */
export const readableText = (text: string): string => visibleText(showBlankRuns(text)).replace(/\n$/, "");

/**
 * Cuts a text into parts that each fit on a small screen, so that having seen the end of every part is having had the
 * whole text on screen. Joined they are the text.
 */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest !== "") {
    const end = partEnd(rest);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return parts;
}

function partEnd(text: string): number {
  let end = 0;
  for (let line = 0; line < mostLines && end < text.length; line++) {
    const next = text.indexOf("\n", end);
    const lineEnd = next === -1 ? text.length : next + 1;
    if (lineEnd > mostCharacters) return end > 0 ? end : wholeCharacters(text, mostCharacters);
    end = lineEnd;
  }
  return end;
}

/** Does not cut between the halves of a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end;
}
