import { type Assignment, type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from "unbash";
import { maximumCharacters } from "../tools/shell-words.ts";
import { attachedValue, commandOption, commandVariable, readsCommands, scriptTexts } from "./command-texts.ts";
import { expanders, finders, interpreters, launchers, programOf, scripted, wrappers } from "./program-kinds.ts";

/** A command somewhere in a line; a word that is only known when it runs is undefined. */
export type FoundWords = (string | undefined)[];

export interface Found {
  commands: FoundWords[];
  /** Texts of the line that may hold commands in another form; they can only be searched for a word. */
  texts: Set<string>;
}

const maximumDepth = 5;
/** Words of a wrapper that are tried as the beginning of a command; with more the line is searched as a text. */
const maximumStarts = 200;
/** Commands that are looked at; a line with more is searched as a text. */
const maximumCommands = 2_000;

/** Texts within texts that are looked at, all together; what is beyond is searched as a text. Characters. */
const maximumInner = 50_000;

interface Search extends Found {
  /** Characters of `maximumInner` that are left. */
  left: number;
}

/**
 * Every command anywhere in a line: in substitutions, subshells, functions and here-documents, behind wrappers, in the text
 * after `-c`, in quoted text that a builtin expands, in variables that name a command. What cannot be read so comes back as a text to
 * search: rules that deny must not fail open.
 */
export function commandsIn(line: string): Found {
  const search: Search = { commands: [], texts: new Set(), left: maximumInner };
  if (line.length > maximumCharacters) return { commands: [], texts: new Set([line]) };
  look(search, line, 0);
  return search.commands.length > maximumCommands ? { commands: [], texts: new Set([line]) } : search;
}

function look(search: Search, line: string, depth: number): void {
  try {
    const script = parse(line);
    if (script.errors?.length) search.texts.add(line);
    visit(script, search, line, depth);
  } catch {
    search.texts.add(line);
  }
}

/** @param expands whether a word here may be expanded once more, its quotes gone: `let 'a[$(x)]'`, `[[ 'a[$(x)]' -eq 0 ]]` */
function visit(node: SyntaxNode, search: Search, line: string, depth: number, expands = true): void {
  if (search.commands.length > maximumCommands) return;
  if (node.type === "Word" && expands) {
    for (const text of quotedTexts(node)) if (/\$\(|`/.test(text)) addScript(search, text, depth);
  }
  if (node.type !== "Command") return void forEachChild(node, (child) => visit(child, search, line, depth, expands));
  addCommand(search, node, line, depth);
  const inWords = expanders.has(programOf(node.name?.value ?? ""));
  forEachChild(node, (child) => visit(child, search, line, depth, child.type === "Assignment" || inWords));
}

function addScript(search: Search, text: string, depth: number): void {
  search.left -= text.length;
  if (search.left < 0 || depth >= maximumDepth) search.texts.add(text);
  else look(search, text, depth + 1);
}

function addCommand(search: Search, command: Command, line: string, depth: number): void {
  for (const part of [...command.prefix, ...command.suffix]) {
    if (part.type === "Assignment") addAssignment(search, part, depth);
  }
  if (!command.name) return;
  const name = nameOf(command.name);
  const words = command.suffix.flatMap((part) =>
    part.type === "Word" ? [wordOf(part)] : part.type === "Assignment" ? [textOf(part)] : [],
  );
  search.commands.push([name, ...words]);
  // What runs is known only when it runs.
  if (name === undefined) return void search.texts.add(line);
  const program = programOf(name);
  const raw = command.suffix.flatMap((part) =>
    part.type === "Word" ? [part.value] : part.type === "Assignment" ? [textOf(part)] : [],
  );
  const bodies = command.suffix.map((part) =>
    part.type === "HereDoc" ? part.body.text : part.type === "HereString" ? (part.target?.value ?? "") : "",
  );
  if (scripted.has(program)) {
    for (const text of bodies) search.texts.add(text);
    for (const [index, text] of raw.entries()) {
      if (/[\s(){}'"`;|!]/.test(text) || (interpreters.has(program) && /^-[cerE]$/.test(raw[index - 1] ?? "")))
        search.texts.add(text);
    }
  }
  if (readsCommands(program, raw, /[|<]/.test(line))) search.texts.add(line);
  for (const text of raw.flatMap((word, index) => commandOption(program, word, raw[index + 1]))) {
    search.commands.push([text]);
    if (/\W/.test(text)) addScript(search, text.replace(/^!/, ""), depth);
  }
  const isWrapper = wrappers.has(program) || finders.has(program);
  if (!isWrapper && !Object.hasOwn(launchers, program)) return;
  const starts = innerStarts(program, raw);
  for (const at of starts.slice(0, maximumStarts)) search.commands.push(words.slice(at));
  if (starts.length > maximumStarts) search.texts.add(line);
  if (isWrapper)
    for (const text of raw.slice(0, maximumStarts)) search.commands.push(...attachedValue(text).map((one) => [one]));
  const inner = isWrapper ? raw : raw.slice(starts[0] ?? raw.length);
  for (const text of [...inner.flatMap(scriptTexts), ...bodies, ...(program === "eval" ? [raw.join(" ")] : [])]) {
    if (text !== "" && /\W/.test(text)) addScript(search, text, depth);
  }
}

/** `PAGER='curl x'`: what a variable holds may be run by whoever reads it. */
function addAssignment(search: Search, { name, value }: Assignment, depth: number): void {
  if (value.type !== "Word") return;
  if (commandVariable.test(name)) search.commands.push([value.value]);
  for (const text of scriptTexts(value.value)) addScript(search, text, depth);
}

/** Where in a program's words another command may begin: anywhere behind a wrapper, else after what announces one. */
function innerStarts(program: string, words: string[]): number[] {
  const all = words.map((_word, index) => index);
  if (finders.has(program)) return all.filter((index) => /^(-exec|-ok|-[xX]$|--exec)/.test(words[index - 1] ?? ""));
  const announcing = Object.hasOwn(launchers, program) ? launchers[program]! : undefined;
  if (!announcing) return all;
  const first = words.findIndex((word) => announcing.has(word));
  return first === -1 ? [] : all.slice(first + 1);
}

const wordOf = (word: Word): string | undefined => ((word.parts ?? []).every(isKnown) ? word.value : undefined);

/** A pattern is told as it stands: `/usr/bin/cur?`. */
const nameOf = (word: Word): string | undefined =>
  (word.parts ?? []).every((part) => part.type === "Glob" || isKnown(part)) ? word.value : undefined;

const textOf = ({ name, value, text }: Assignment): string => (value.type === "Word" ? `${name}=${value.value}` : text);

const isKnown = (part: WordPart): boolean =>
  part.type === "Literal" ||
  part.type === "SingleQuoted" ||
  part.type === "AnsiCQuoted" ||
  (part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal"));

/** The parts of a word that the shell takes as they stand. */
const quotedTexts = ({ value, parts }: Word): string[] =>
  parts === undefined
    ? [value]
    : parts.flatMap((part) =>
        part.type === "DoubleQuoted"
          ? part.parts.flatMap((child) => (child.type === "Literal" ? [child.value] : []))
          : part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted"
            ? [part.value]
            : [],
      );
