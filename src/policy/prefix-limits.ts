import { interpreters, programOf, shellState, wrappers } from "./program-kinds.ts";

/** What a prefix rule does not cover for a program: options that run, write, or take commands or names from elsewhere. */
interface Limits {
  /** Short options, anywhere in a group of them. */
  letters?: string;
  /** Long options without their dashes; a unique beginning and `=value` count too. */
  long?: string;
  /** Whole words. */
  words?: RegExp;
  /** The least words a prefix must have: with fewer it says nothing of what runs. */
  leastPrefix?: number;
  /** Second words (subcommands) that no prefix covers. */
  never?: string;
  /** The only forms of all words after the program's name. */
  only?: (words: readonly string[]) => boolean;
}

const packageRunner: Limits = {
  leastPrefix: 2,
  never: "exec x dlx explore config set-script install-test init create",
  letters: "CFwc",
  long: "prefix script-shell userconfig globalconfig node-options shell shell-emulator cwd dir workspace workspaces workspace-root filter recursive config call preload require import",
};

/** A second operand is the file that is written; `-` is one, and after `--` so is every word. */
function oneOperand(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const before = (end === -1 ? words : words.slice(0, end)).filter((word) => !/^-./.test(word)).length;
  return before + (end === -1 ? 0 : words.length - end - 1) <= 1;
}

/** Programs that never fit a prefix: what they do hangs on small letters in any of their words, or on the files they read. */
const never = new Set(
  "tar bsdtar cpio zip rsync scp sftp man less more most vi vim nvim view ex ed emacs nano sqlite3 mysql psql dd install ld cc gcc g++ clang patch unzip 7z unrar".split(
    " ",
  ),
);

const table: Record<string, Limits> = {
  sort: { letters: "oT", long: "output compress-program temporary-directory files0-from" },
  sed: { only: printsLines },
  find: { words: /^-(exec|ok|delete|fprint|fls|files0-from)/ },
  fd: { letters: "xX", long: "exec exec-batch" },
  fdfind: { letters: "xX", long: "exec exec-batch" },
  rg: { letters: "z", long: "pre pre-glob hostname-bin search-zip" },
  ag: { long: "pager" },
  ack: { long: "pager ackrc" },
  git: {
    leastPrefix: 2,
    never:
      "config bisect clone submodule filter-branch rebase difftool mergetool daemon send-email shell hook for-each-repo credential svn p4 instaweb web--browse gui citool maintenance",
    letters: "OcC",
    long: "output ext-diff textconv open-files-in-pager paginate upload-pack receive-pack exec extcmd exec-path git-dir work-tree config config-env template namespace super-prefix upload-archive remote",
  },
  uniq: { only: oneOperand },
  xxd: { letters: "r", only: oneOperand },
  tree: { letters: "oR" },
  shuf: { letters: "o", long: "output random-source" },
  iconv: { letters: "o", long: "output" },
  split: { long: "filter" },
  yq: { letters: "is", long: "inplace in-place split-exp" },
  sdiff: { letters: "o", long: "output" },
  bat: { long: "pager" },
  batcat: { long: "pager" },
  date: { letters: "s", long: "set" },
  file: { letters: "CmfzZ", long: "compile magic-file files-from uncompress" },
  printf: { letters: "v" },
  test: { words: /^-[vR]$/ },
  "[": { words: /^-[vR]$/ },
  make: { letters: "fCIoE", long: "eval file makefile directory include-dir", words: /^[^-].*=/ },
  npm: packageRunner,
  pnpm: packageRunner,
  yarn: packageRunner,
  bun: packageRunner,
  deno: { leastPrefix: 3 },
  cargo: { leastPrefix: 2, letters: "ZC", long: "config manifest-path target-dir", words: /^\+/ },
  go: {
    leastPrefix: 2,
    words: /^--?(w|exec|toolexec|vettool|o|C|overlay|modfile|ldflags|gcflags|asmflags|compiler|pkgdir)(=|$)/,
  },
  pytest: { letters: "pco", long: "rootdir override-ini config-file confcutdir pdbcls pyargs basetemp" },
  wget: { letters: "OPeio", long: "output-document directory-prefix execute use-askpass config input-file" },
};

/**
 * Whether a prefix rule may cover a command that begins with its words.
 * @param prefix the rule's words without the `*`
 * @param words all words of the command
 */
export function prefixCovers(prefix: readonly string[], words: readonly string[]): boolean {
  const program = programOf(words[0]!);
  if (prefixIsUseless(prefix, program)) return false;
  // `python -m pytest` is `pytest`.
  if (interpreters.has(program) && prefix[1] === "-m") return prefixCovers(prefix.slice(2), words.slice(2));
  const limits = Object.hasOwn(table, program) ? table[program]! : undefined;
  if (!limits) return true;
  if (limits.never?.split(" ").includes(words[1] ?? "")) return false;
  if (limits.only && !limits.only(words.slice(1))) return false;
  return words.slice(prefix.length).every((word) => !isLimited(word, limits));
}

/** Whether a prefix of these words covers nothing of a program, so that the rule can only be a mistake. */
export function prefixIsUseless(prefix: readonly string[], program = programOf(prefix[0] ?? "")): boolean {
  if (wrappers.has(program) || shellState.has(program) || never.has(program)) return true;
  // Until a script or module is named, any word after it may be code.
  if (interpreters.has(program) && !names(prefix)) return true;
  const limits = Object.hasOwn(table, program) ? table[program]! : undefined;
  if (!limits) return false;
  if ((limits.leastPrefix ?? 0) > prefix.length) return true;
  // `git -c x *`: the second word is an option, so what runs is still open.
  if ((limits.leastPrefix ?? 0) > 1 && prefix[1]!.startsWith("-")) return true;
  return limits.never?.split(" ").includes(prefix[1] ?? "") ?? false;
}

/** Whether an interpreter's words so far name what it runs: `node x.js`, `python -m pytest`. */
function names(prefix: readonly string[]): boolean {
  const [, first, second] = prefix;
  if (first === "-m" && /^(python|pypy)/.test(programOf(prefix[0]!))) return second !== undefined;
  return first !== undefined && !first.startsWith("-");
}

function isLimited(word: string, limits: Limits): boolean {
  if (limits.words?.test(word)) return true;
  if (!word.startsWith("-") || word === "-") return false;
  if (!word.startsWith("--")) return [...word.slice(1)].some((letter) => limits.letters?.includes(letter));
  // `--config.script-shell=x` sets one of a group.
  const option = word.slice(2).split(/[=.]/)[0]!;
  if (option === "") return false;
  // Programs take any beginning of a long option that is unique.
  return (limits.long?.split(" ") ?? []).some((long) => long.startsWith(option) || option === long);
}

/** `sed -n 3,9p file…`: any other text for sed may run a command or write a file. */
function printsLines(words: readonly string[]): boolean {
  const [quiet, program, ...files] = words;
  if (quiet !== "-n" || !/^(\d+|\$)(,(\d+|\$))?p$/.test(program ?? "")) return false;
  return files.every((file) => !file.startsWith("-"));
}
