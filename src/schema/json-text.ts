/** Reading JSON text that a model wrote: exact, after repairs that cannot change what was meant. */

const controlEscapes: Record<string, string> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

/**
 * Escapes raw control characters inside strings and doubles a backslash that starts no JSON escape (`"C:\dir"`).
 * Nothing is closed, added or dropped, so a text that was cut off stays unreadable.
 */
export function repairJsonText(text: string): string {
  const parts: string[] = [];
  let insideString = false;
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (!insideString) {
      if (character === '"') insideString = true;
    } else if (character === '"') {
      insideString = false;
    } else if (character === "\\") {
      const next = text[at + 1];
      const isEscape =
        next !== undefined &&
        (next === "u" ? /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6)) : '"\\/bfnrt'.includes(next));
      if (isEscape) {
        at++;
      } else {
        parts.push(text.slice(kept, at), "\\\\");
        kept = at + 1;
      }
    } else if (character < " ") {
      parts.push(
        text.slice(kept, at),
        controlEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      kept = at + 1;
    }
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(kept);
}

/**
 * The value of the whole text, parsed exactly; only when that fails, parsed after `repairJsonText`.
 * @throws SyntaxError of the unrepaired text, whose position fits what the model wrote.
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = repairJsonText(text);
    if (repaired !== text) {
      try {
        return JSON.parse(repaired);
      } catch {
        // The first error speaks of the text as it was written.
      }
    }
    throw error;
  }
}
