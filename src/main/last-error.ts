import { stripVTControlCharacters } from "node:util";
import { lastLines } from "./log-files.ts";

const maximumCharacters = 200;
/** Normal at every change of worker. */
const normal = "the worker went away; another one goes on";
/** Below ERROR, in the words of the SDK (`[WARN]`, ` WARN `) and of the server (`level=WARN`). */
const noError = /^(\S+\s+)?\[?(TRACE|DEBUG|INFO|WARN)\]?(\s|$)|\blevel=(debug|info|warn)\b/i;
const isError =
  /error|exception|cannot|could not|failed|failure|fatal|panic|locked|in use|missing|not found|denied|ELIFECYCLE/i;

/**
 * Last line of a log, from the byte `from` on, that says why a process died; undefined when none does. Passed over are records
 * that are no errors with the indented lines that belong to them, stack lines and what is left of brackets.
 */
export function lastErrorLine(path: string, from = 0): string | undefined {
  let last: string | undefined;
  for (const raw of lastLines(path, 200, from)) {
    const text = stripVTControlCharacters(raw);
    // Indented lines and closing brackets go on with the record before.
    if (/^[\s}\])]/.test(text)) continue;
    const relevant = !noError.test(text) && !text.includes(normal) && !text.startsWith("Node.js v");
    if (relevant && isError.test(text)) last = text.trim();
  }
  return last === undefined || last.length <= maximumCharacters ? last : `${last.slice(0, maximumCharacters - 1)}…`;
}
