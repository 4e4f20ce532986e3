import { realpath } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { isInside, realPathOf } from "../tools/paths.ts";
import { findProgram } from "../tools/programs.ts";
import { literalWords } from "../tools/shell-words.ts";
import { plainBuiltins } from "./program-kinds.ts";

/**
 * Programs that only show, each with the options that do more: write, start another program, follow links out of the
 * folder, or take names of files from a file. `letters` are short options, `words` long ones without their dashes.
 */
const programs: Record<string, { letters: string; words: string[] }> = {
  pwd: { letters: "", words: [] },
  ls: { letters: "LH", words: ["dereference", "dereference-command-line", "dereference-command-line-symlink-to-dir"] },
  cat: { letters: "", words: [] },
  head: { letters: "", words: [] },
  tail: { letters: "", words: [] },
  wc: { letters: "", words: ["files0-from"] },
  stat: { letters: "", words: [] },
  file: {
    letters: "CmfzZpSM",
    words: [
      "compile",
      "magic-file",
      "files-from",
      "uncompress",
      "uncompress-noreport",
      "preserve-date",
      "no-sandbox",
      "dereference",
    ],
  },
  du: { letters: "LDHX", words: ["dereference", "dereference-args", "exclude-from", "files0-from"] },
};

export interface CommandPlace {
  /** Absolute path of the workspace, where the command runs. */
  cwd: string;
  /** The command's PATH; when known, a program that lies in a folder the agent may write is not trusted. */
  searchPath?: string;
  /** Folders, besides the workspace, that the agent may write without being asked. */
  writableFolders?: readonly string[];
}

/**
 * Whether a bash line only reads, inside the workspace: one simple command of literal words, a known program, harmless
 * options, every path in the workspace by its real path. Whatever is not understood is not read-only.
 */
export async function isReadOnlyCommand(command: string, place: CommandPlace): Promise<boolean> {
  return await isReadOnlyWords(literalWords(command) ?? [], place);
}

/** The same for a command that was read already. */
export async function isReadOnlyWords([name, ...words]: readonly string[], place: CommandPlace): Promise<boolean> {
  if (name === undefined || !Object.hasOwn(programs, name)) return false;
  const options = programs[name]!;
  const workspace = await realPathOf(place.cwd);
  if (!(await isTrustedProgram(name, workspace, place))) return false;
  let onlyPaths = false;
  for (const word of words) {
    if (!onlyPaths && word === "--") {
      onlyPaths = true;
    } else if (!onlyPaths && word.startsWith("--")) {
      const [option = "", ...value] = word.slice(2).split("=");
      // Programs take any unique beginning of a long option.
      if (options.words.some((forbidden) => forbidden.startsWith(option))) return false;
      if (value.length > 0 && !(await isInWorkspace(value.join("="), workspace))) return false;
    } else if (!onlyPaths && word.startsWith("-")) {
      if ([...word.slice(1)].some((letter) => options.letters.includes(letter))) return false;
    } else if (!(await isInWorkspace(word, workspace))) {
      return false;
    }
  }
  return true;
}

/** Whether a name means a program that the agent cannot have put there, or a builtin. */
export async function isTrustedProgram(name: string, workspace: string, place: CommandPlace): Promise<boolean> {
  if (place.searchPath === undefined || plainBuiltins.has(name)) return true;
  const program = await findProgram(name, place.searchPath, workspace);
  if (!program) return false;
  const folders = await Promise.all((place.writableFolders ?? []).map((folder) => realPathOf(folder)));
  return ![workspace, ...folders].some((folder) => isInside(program, folder));
}

/** Judges the place the system would open: links and `..` are followed in their order, as the program's own call does. */
async function isInWorkspace(word: string, workspace: string): Promise<boolean> {
  const spelling = isAbsolute(word) ? word : `${workspace}/${word}`;
  const real = await realpath(spelling).catch(() => undefined);
  if (real !== undefined) return isInside(real, workspace);
  // Nothing is there, or no permission. With `..` its meaning hangs on what is not there.
  if (spelling.split("/").includes("..")) return false;
  return isInside(await realPathOf(resolve(spelling)), workspace);
}
