import input from "@inquirer/input";
import password from "@inquirer/password";
import search from "@inquirer/search";
import select from "@inquirer/select";

/** One line to choose. */
export interface Option<T> {
  name: string;
  value: T;
}

/** What `init` asks a person. Each rejects with `LeftByPerson` when they press Ctrl-C. */
export interface Questions {
  choose<T>(question: string, options: Option<T>[]): Promise<T>;
  /** The same for a long list: typing narrows it down. */
  find(question: string, options: Option<string>[]): Promise<string>;
  text(question: string, check: (text: string) => string | undefined): Promise<string>;
  /** Shows nothing of what is typed or pasted. */
  secret(question: string): Promise<string>;
}

export class LeftByPerson extends Error {}

const rowsShown = 12;

export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

export function terminalQuestions(terminal: Terminal): Questions {
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if ((error as Error).name === "ExitPromptError") throw new LeftByPerson();
      throw error;
    }
  };
  return {
    choose: (message, choices) => asked(select({ message, choices, pageSize: rowsShown, loop: false }, terminal)),
    find: (message, options) =>
      asked(search({ message, pageSize: rowsShown, source: (typed) => fitting(options, typed ?? "") }, terminal)),
    text: (message, check) =>
      asked(input({ message, validate: (text) => check(text.trim()) ?? true }, terminal)).then((text) => text.trim()),
    secret: (message) =>
      asked(password({ message, mask: false, toggleMask: false }, terminal)).then((text) => text.trim()),
  };
}

/** Options whose name holds every word that was typed. */
export function fitting(options: Option<string>[], typed: string): Option<string>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
