import { type CommandNode, type PipelineNode, parse, type Statement, type Word, type WordPart } from "unbash";

/** Longer lines are not judged. Characters. */
export const maximumCharacters = 10_000;

/**
 * The words of a line that is one simple command of literal words: no second command, redirection, assignment, expansion,
 * pattern, comment or escape that needs thought. Two readers, a real parser and a small strict one, must agree.
 * @returns undefined for anything else
 */
export function literalWords(command: string): string[] | undefined {
  const commands = literalCommands(command);
  return commands?.length === 1 ? commands[0] : undefined;
}

/**
 * The same for a line of several such commands, joined by `&&`, `||`, `;`, `|` or a line break: the words of each, in order.
 * @returns undefined for anything else
 */
export function literalCommands(command: string): string[][] | undefined {
  // Only what the shell strips: it takes other white space (no-break space, byte order mark) as part of a name.
  const line = command.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  if (line === "" || line.length > maximumCharacters) return undefined;
  const strict = strictCommands(line);
  const parsed = strict && parsedCommands(line);
  return parsed && JSON.stringify(strict) === JSON.stringify(parsed) ? strict : undefined;
}

function parsedCommands(line: string): string[][] | undefined {
  const script = parse(line);
  if (script.errors?.length || script.shebang) return undefined;
  const commands: string[][] = [];
  for (const command of script.commands.flatMap(simpleParts)) {
    const words = wordsOf(command);
    if (!words) return undefined;
    commands.push(words);
  }
  return commands;
}

/** What a statement joins; a part that is more than a simple command has no words. */
function simpleParts({ command, background }: Statement): (CommandNode | undefined)[] {
  if (background) return [undefined];
  const parts: readonly PipelineNode[] = command.type === "AndOr" ? command.commands : [command];
  return parts.flatMap((part): readonly (CommandNode | undefined)[] => {
    if (part.type !== "Pipeline") return [part];
    // `time`, `!`, and `|&`, which is a redirection too.
    return part.prefixes.length > 0 || part.operators.includes("|&") ? [undefined] : part.commands;
  });
}

function wordsOf(command: CommandNode | undefined): string[] | undefined {
  if (command?.type !== "Command" || !command.name || command.prefix.length > 0) return undefined;
  const words: string[] = [];
  for (const word of [command.name, ...command.suffix]) {
    if (word.type !== "Word" || !isLiteral(word)) return undefined;
    words.push(word.value);
  }
  return words;
}

const isLiteral = (word: Word): boolean => (word.parts ?? []).every(isLiteralPart);

const isLiteralPart = (part: WordPart): boolean =>
  part.type === "Literal" ||
  part.type === "SingleQuoted" ||
  (part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal"));

/** Characters that mean only themselves, anywhere in an unquoted word. Beyond ASCII: letters, marks, digits, symbols. */
const plain = /[A-Za-z0-9_\-./,:+@%^=]|[^\u0000-\u00A0\p{Z}\p{C}]/u;

/** What stands between two commands; after all but the last two, line breaks may follow. */
const separator = /^[ \t]*(?:(?:&&|\|\||\|)[ \t\n]*|;(?![;&])[ \t\n]*|\n[ \t\n]*)/;

function strictCommands(line: string): string[][] | undefined {
  const commands: string[][] = [];
  for (let rest = line; ; ) {
    const read = strictWords(rest);
    if (!read || read.words.length === 0) return undefined;
    commands.push(read.words);
    if (read.rest === "") return commands;
    const found = separator.exec(read.rest);
    if (!found) return undefined;
    rest = read.rest.slice(found[0].length);
  }
}

/** Words up to the end or to a character that is not one of a word; `rest` begins with that. */
function strictWords(line: string): { words: string[]; rest: string } | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const characters = [...line];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const end = characters.indexOf(character, index + 1);
      if (end === -1) return undefined;
      const quoted = characters.slice(index + 1, end).join("");
      // Inside double quotes these still have a meaning; line breaks are for people to look at.
      if (/[\n\r\0]/.test(quoted) || (character === '"' && /[$`\\!]/.test(quoted))) return undefined;
      word = (word ?? "") + quoted;
      at += quoted.length + 1;
      index = end;
    } else if (plain.test(character) || (character === "~" && /[\p{L}\p{N}~^]$/u.test(word ?? ""))) {
      // A tilde within a word, as in `HEAD~2`, is only itself.
      word = (word ?? "") + character;
    } else {
      break;
    }
    at += character.length;
  }
  if (word !== undefined) words.push(word);
  return { words, rest: line.slice(at) };
}
