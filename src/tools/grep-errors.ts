import { harmlessText } from "./truncate.ts";

/**
 * The error for the model from what ripgrep says of a pattern. It shows the pattern wrapped in `(?:…)` with carets below,
 * and advises flags that a caller of the tool does not have.
 */
export function patternError(errors: string, pattern: string): Error {
  const advice = "Escape special characters with a backslash, or set literal to search for the text as it stands.";
  const text = harmlessText(errors).replace(/^rg: /, "").split("\n\nConsider ")[0]!.trim();
  if (/literal "\\n" is not allowed/.test(text)) {
    return new Error("pattern holds a line break: grep looks at one line at a time. Search for one of the lines.");
  }
  const found = /^regex parse error:\n {4}\(\?:(.*)\)\n( +)\^+\nerror: (.*)$/s.exec(text);
  if (!found || found[1] !== pattern) return new Error(`pattern is not valid: ${text}\n${advice}`);
  const [, , before, reason] = found;
  const column = before!.length - "    (?:".length;
  // A group of the pattern that lacks one end takes the wrapper's for its own, so the wrapper is blamed.
  const position = column >= 0 && column < pattern.length ? column : unbalanced(pattern);
  const place = position === undefined ? "at its end" : `at character ${position + 1}`;
  return new Error(`pattern is not a valid regular expression: ${reason}, ${place}. ${advice}`);
}

/** Index of the parenthesis that lacks its other half. */
function unbalanced(pattern: string): number | undefined {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") open.push(at);
    else if (character === ")" && open.pop() === undefined) return at;
  }
  return open.at(-1);
}
