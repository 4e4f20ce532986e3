import { interpreters, programOf, shells, wrappers } from "./program-kinds.ts";

/** Variables whose value other programs run. */
export const commandVariable = /(?:PAGER|EDITOR|VISUAL|BROWSER|SHELL|SSH|COMMAND|DIFF|ASKPASS|WRAPPER)$/;

/** A word as a text of commands: itself, what stands after `=`, and after an option's letter. */
export const scriptTexts = (word: string): string[] =>
  [word, ...attachedValue(word)].filter((text) => /[\s;|&$`(]/.test(text));

/** What is attached to an option: after `=`, or after its letter. */
export function attachedValue(word: string): string[] {
  const value = word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [];
  return /^-[A-Za-z](?=[^-])/.test(word) ? [...value, word.slice(2)] : value;
}

/** Options whose value is a command, of whatever program. */
const options =
  /^--?(?:exec|extcmd|pre|rsh|pager|to-command|use-compress-program|compress-program|rsh-command|toolexec|vettool|filter|script-shell|shell|upload-pack|receive-pack|hostname-bin|open-files-in-pager)$/;
/** Short ones, by program; for git's `-c` it is what is set. */
const letters: Readonly<Record<string, string>> = { git: "cx", rsync: "e", tar: "IF", man: "P" };

/** The command that an option of a program names: `--pre sh`, `--pre=sh`, `git -c core.pager=sh`, `make SHELL=sh`. */
export function commandOption(program: string, word: string, next: string | undefined): string[] {
  const equal = word.indexOf("=");
  if (options.test(equal === -1 ? word : word.slice(0, equal)))
    return equal === -1 ? given(next) : [word.slice(equal + 1)];
  if (/^g?make$/.test(program) && equal > 0 && commandVariable.test(word.slice(0, equal)))
    return [word.slice(equal + 1)];
  const letter = Object.hasOwn(letters, program) && /^-.$/.test(word) && letters[program]!.includes(word[1]!);
  if (!letter) return [];
  return program === "git" && word === "-c" ? given(next?.slice(next.indexOf("=") + 1)) : given(next);
}

const given = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : [text]);

const input = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;

/** Words in which a program is looked for. */
const maximumWords = 200;

/** Whether a program, or one behind it, takes commands from what it is piped: then nobody knows where they stand in the line. */
export function readsCommands(program: string, words: readonly string[], isFed: boolean): boolean {
  if (!wrappers.has(program) && !interpreters.has(program)) return false;
  if (words.length > maximumWords) return true;
  if (/^(?:xargs|parallel)$/.test(program) && words.some((word) => wrappers.has(programOf(word)))) return true;
  const all = [program, ...words];
  return all.some((word, index) => {
    if (index > 0 && !wrappers.has(program)) return false;
    const name = programOf(word);
    const rest = all.slice(index + 1);
    if (name === "." || name === "source") return input.test(rest[0] ?? "");
    if (shells.has(name)) return !rest.some((one) => /^-\w*c/.test(one)) && isFromInput(rest);
    return (
      isFed && interpreters.has(name) && !rest.some((one) => /^-[cemrEV]|^--version$/.test(one)) && isFromInput(rest)
    );
  });
}

/** Whether no file is named to run, or one that stands for the input. */
function isFromInput(words: readonly string[]): boolean {
  const named = words.filter((word, index) => !/^[-+]./.test(word) && !/^[-+]\w*[oO]$/.test(words[index - 1] ?? ""));
  return named.length === 0 || input.test(named[0]!) || words.some((word) => /^-\w*s/.test(word));
}
