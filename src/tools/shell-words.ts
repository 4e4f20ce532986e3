import { parse, type Word, type WordPart } from "unbash";

/** Longer lines are not judged. Characters. */
const maximumCharacters = 10_000;

/**
 * The words of a line that is one simple command of literal words: no second command, redirection, assignment, expansion,
 * pattern, comment or escape that needs thought. Two readers, a real parser and a small strict one, must agree.
 * @returns undefined for anything else
 */
export function literalWords(command: string): string[] | undefined {
  // Only what the shell strips: it takes other white space (no-break space, byte order mark) as part of a name.
  const line = command.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  if (line === "" || line.length > maximumCharacters) return undefined;
  const strict = strictWords(line);
  const parsed = parsedWords(line);
  if (!strict || !parsed || strict.length !== parsed.length) return undefined;
  return strict.every((word, index) => word === parsed[index]) ? strict : undefined;
}

function parsedWords(line: string): string[] | undefined {
  const script = parse(line);
  const [statement, ...more] = script.commands;
  if (script.errors?.length || script.shebang || !statement || more.length > 0 || statement.background)
    return undefined;
  const { command } = statement;
  if (command.type !== "Command" || !command.name || command.prefix.length > 0) return undefined;
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

function strictWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
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
      index = end;
    } else if (plain.test(character)) {
      word = (word ?? "") + character;
    } else {
      return undefined;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
