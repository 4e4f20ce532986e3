import { basename } from "node:path";
import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from "unbash";
import { maximumCharacters } from "../tools/shell-words.ts";
import { finders, interpreters, shells, wrappers } from "./program-kinds.ts";

/** A command somewhere in a line; a word that is only known when it runs is undefined. */
export type FoundWords = (string | undefined)[];

export interface Found {
  commands: FoundWords[];
  /** Texts of the line that may hold commands in another form; they can only be searched for a word. */
  texts: string[];
}

const maximumDepth = 5;
/** Words of a wrapper that are tried as the beginning of a command; with more the line is searched as a text. */
const maximumStarts = 200;
/** Commands that are looked at; a line with more is searched as a text. */
const maximumCommands = 2_000;

/**
 * Every command anywhere in a line: in substitutions, subshells, functions and here-documents, behind wrappers, in the text
 * after `-c`. What cannot be read so comes back as a text to search: rules that deny must not fail open.
 */
export function commandsIn(line: string, depth = 0): Found {
  const found: Found = { commands: [], texts: [] };
  if (line.length > maximumCharacters || depth > maximumDepth) return { commands: [], texts: [line] };
  let script: SyntaxNode & { errors?: readonly unknown[] | undefined };
  try {
    script = parse(line);
    if (script.errors?.length) found.texts.push(line);
    visit(script, (command) => addCommand(found, command, line, depth));
  } catch {
    return { commands: [], texts: [line] };
  }
  return found.commands.length > maximumCommands ? { commands: [], texts: [line] } : found;
}

function visit(node: SyntaxNode, each: (command: Command) => void): void {
  if (node.type === "Command") each(node);
  forEachChild(node, (child) => visit(child, each));
}

function addCommand(found: Found, command: Command, line: string, depth: number): void {
  const words = command.suffix.flatMap((part) =>
    part.type === "Word" ? [wordOf(part)] : part.type === "Assignment" ? [part.text] : [],
  );
  const name = command.name ? wordOf(command.name) : undefined;
  if (!command.name) return;
  found.commands.push([name, ...words]);
  // What runs is known only when it runs.
  if (name === undefined) return void found.texts.push(line);
  const program = basename(name);
  const raw = command.suffix.map((part) => (part.type === "Word" ? part.value : "text" in part ? part.text : ""));
  if (interpreters.has(program)) found.texts.push(...raw.filter((text) => /[\s(){}'"`;|]/.test(text)));
  if (!wrappers.has(program) && !finders.has(program)) return;
  const starts = innerStarts(program, raw);
  for (const at of starts.slice(0, maximumStarts)) found.commands.push(words.slice(at));
  if (starts.length > maximumStarts) found.texts.push(line);
  const bodies = command.suffix.map((part) =>
    part.type === "HereDoc" ? part.body.text : part.type === "HereString" ? (part.target?.value ?? "") : "",
  );
  const inner = [...raw.flatMap(scriptTexts), ...bodies, ...(program === "eval" ? [raw.join(" ")] : [])];
  for (const text of inner) {
    if (text === "" || !/\W/.test(text)) continue;
    const more = commandsIn(text, depth + 1);
    found.commands.push(...more.commands);
    found.texts.push(...more.texts);
  }
  // A shell without a file or text to run reads its commands from what it is piped.
  if (shells.has(program) && raw.every((text) => text.startsWith("-") && !/^-\w*c/.test(text))) found.texts.push(line);
}

/** Where in a wrapper's words another command may begin; for `find` only after an option that runs one. */
function innerStarts(program: string, words: string[]): number[] {
  const all = words.map((_word, index) => index);
  if (!finders.has(program)) return all;
  return all.filter((index) => /^(-exec|-ok|-[xX]$|--exec)/.test(words[index - 1] ?? ""));
}

/** A wrapper's word as a text of commands: itself, what stands after `=`, and after an option's letter. */
function scriptTexts(word: string): string[] {
  const value = word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [];
  const attached = /^-[A-Za-z](?=[^-])/.test(word) ? [word.slice(2)] : [];
  return [word, ...value, ...attached].filter((text) => /[\s;|&$`(]/.test(text));
}

const wordOf = (word: Word): string | undefined => ((word.parts ?? []).every(isKnown) ? word.value : undefined);

const isKnown = (part: WordPart): boolean =>
  part.type === "Literal" ||
  part.type === "SingleQuoted" ||
  part.type === "AnsiCQuoted" ||
  (part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal"));
