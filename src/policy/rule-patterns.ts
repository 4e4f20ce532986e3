import { homedir } from "node:os";
import { basename, relative } from "node:path";
import picomatch from "picomatch";
import type { Rule } from "../agent/rule.ts";
import { isInside } from "../tools/paths.ts";
import { literalWords } from "../tools/shell-words.ts";
import { commandsIn, type FoundWords } from "./find-commands.ts";
import { prefixCovers } from "./prefix-limits.ts";
import { shellState } from "./program-kinds.ts";

export interface CommandPattern {
  words: string[];
  /** Whether more words may follow. */
  prefix: boolean;
}

/** A rule's `command` as words; without one it stands for every command. `undefined`: not literal words. */
export function commandPattern(command: string | undefined): CommandPattern | undefined {
  if (command === undefined) return { words: [], prefix: true };
  const text = command.trim();
  if (text === "*") return { words: [], prefix: true };
  const prefix = /[ \t]\*$/.test(text);
  const words = literalWords(prefix ? text.slice(0, -1) : text);
  return words && { words, prefix };
}

/**
 * Whether an allow rule covers one command of literal words.
 * @param alone whether the line is this one command: what changes the shell for others is allowed only alone
 */
export function allowsWords({ words: pattern, prefix }: CommandPattern, words: string[], alone: boolean): boolean {
  if (pattern.some((word, index) => words[index] !== word)) return false;
  if (prefix) return prefixCovers(pattern, words);
  return words.length === pattern.length && (alone || !shellState.has(words[0]!));
}

/** Whether a rule that denies or asks finds its command anywhere in a line. */
export function findsCommand(pattern: CommandPattern, line: string): boolean {
  const { commands, texts } = commandsIn(line);
  if (pattern.words.length === 0) return true;
  if (commands.some((words) => fits(pattern, words))) return true;
  const program = basename(pattern.words[0]!).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const word = new RegExp(`(?<![\\p{L}\\p{N}_.-])${program}(?![\\p{L}\\p{N}_-])`, "u");
  return [...texts].some((text) => word.test(text));
}

/** A program by its base name; options may stand between the words, each with a value or without. */
function fits({ words: pattern, prefix }: CommandPattern, words: FoundWords): boolean {
  const [name] = words;
  if (name === undefined || !isNamed(basename(pattern[0]!), basename(name))) return false;
  let reached = new Set([1]);
  for (const expected of pattern.slice(1)) {
    // Grows while it is walked, in ascending order: an option leads one or two words on.
    for (const index of reached) {
      if (words[index]?.startsWith("-")) reached.add(index + 1).add(index + 2);
    }
    const fitting = [...reached].filter(
      (index) => index < words.length && (words[index] === undefined || words[index] === expected),
    );
    reached = new Set(fitting.map((index) => index + 1));
  }
  return prefix ? reached.size > 0 : reached.has(words.length);
}

/** Longer patterns for a program's name are not tried: it takes long to see that they do not fit. Characters. */
const maximumPattern = 64;

/** Whether a name means the program; `/usr/bin/cur?` may. */
function isNamed(program: string, name: string): boolean {
  if (name === program || !/[*?[]/.test(name)) return name === program;
  return name.length <= maximumPattern && picomatch.isMatch(program, name, { dot: true });
}

/**
 * Whether a file's real path fits a rule's `path`.
 * @param folder absolute, links followed: what a relative pattern starts at
 */
export function fitsPath(rule: Rule, path: string, folder: string): boolean {
  if (rule.path === undefined) return true;
  const pattern = rule.path.startsWith("~/") ? `${homedir()}${rule.path.slice(1)}` : rule.path.replace(/^(\.\/)+/, "");
  // A file system may not know upper from lower case: then a rule that protects must not either.
  const options = { dot: true, nonegate: true, nocase: rule.decision !== "allow" };
  if (isAbsolutePattern(rule)) return picomatch.isMatch(path, pattern, options);
  return isInside(path, folder) && path !== folder && picomatch.isMatch(relative(folder, path), pattern, options);
}

export const isAbsolutePattern = ({ path }: Rule): boolean => path !== undefined && /^(\/|~\/)/.test(path);
