import { basename } from "node:path";

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Shells: they read commands from `-c`, from a file, or from what they are piped. */
export const shells = names("sh bash dash ash zsh ksh mksh fish csh tcsh rbash");

/** Programs and builtins whose words are, or hold, another command. No prefix rule covers them. */
export const wrappers = names(`
  ${[...shells].join(" ")}
  env timeout nice nohup xargs sudo doas su eval exec command builtin time stdbuf setsid watch parallel ionice chrt
  taskset strace ltrace flock script unshare chroot nsenter runuser systemd-run busybox toybox trap rlwrap unbuffer
  valgrind perf hyperfine fakeroot eatmydata numactl cross-env concurrently sg direnv nix-shell nix hash let
  mapfile readarray complete compgen bind
  expect entr caffeinate arch setpriv prlimit faketime torsocks proxychains proxychains4 dbus-run-session xvfb-run
  at batch ssh npx bunx uvx pipx source . alias coproc gdb chronic ts pkexec firejail bwrap tmux screen`);

/** Programs that run a text in a language of their own: `-e`, `-c`, or their first word. */
export const interpreters = names(`
  python python2 python3 pypy pypy3 node nodejs deno tsx ts-node perl ruby php lua luajit tclsh Rscript R osascript
  awk gawk mawk nawk bun java julia guile racket`);

/** Programs that take commands, of the shell or of their own, in an option, a text or what they are given to read. */
export const scripted = names(`
  ${[...interpreters].join(" ")} tar bsdtar rsync make gmake man vim vi nvim view ex ed nc ncat socat sqlite3 mysql psql gdb
  zip cpio crontab sed pwsh expect`);

/** Words of a program after which another command stands. */
export const launchers: Readonly<Record<string, ReadonlySet<string>>> = {
  git: names("foreach run"),
  ...Object.fromEntries(["npm", "pnpm", "yarn", "bun"].map((name) => [name, names("exec x dlx")])),
  ...Object.fromEntries(["uv", "poetry", "pipenv", "pdm", "hatch", "rye"].map((name) => [name, names("run")])),
  ...Object.fromEntries(["docker", "podman", "nerdctl", "kubectl"].map((name) => [name, names("run exec")])),
  ...Object.fromEntries(["bundle", "mise", "asdf"].map((name) => [name, names("exec x")])),
};

/** The name by which a program is known here: of a path its last part, of `python3.11` or `node-22` the name without the version. */
export function programOf(name: string): string {
  const program = basename(name);
  const bare = program.replace(/-?\d[\d.]*$/, "");
  return interpreters.has(bare) || shells.has(bare) ? bare : program;
}

/** Builtins that change the shell for the commands after them: where they run, what a name means, what is set. */
export const shellState = names(`
  cd pushd popd export declare typeset local readonly set shopt alias unalias enable hash trap source . eval exec builtin
  command read mapfile readarray unset let wait getopts ulimit umask bind complete compgen compopt history fc dirs disown
  coproc`);

/** Builtins that expand subscripts in their words, in quotes too. */
export const expanders: ReadonlySet<string> = new Set([...shellState, "test", "[", "printf"]);

/** Programs that, within what a prefix rule covers of them, only read the files they name. */
export const readers = names(`
  find fd fdfind grep egrep fgrep rg ag ack cat ls echo printf head tail wc sort uniq sed git diff cmp stat file du tree
  basename dirname realpath readlink cut tr nl od jq test [ type which pwd true false :`);

/** Of git those of which the same holds; others write where they are told, such as `git archive -o`. */
export const gitReaders = names(
  "blame cat-file describe diff grep log ls-files ls-tree rev-list rev-parse shortlog show status",
);

/** Programs that run another one after an option of theirs. */
export const finders = names("find fd fdfind");

/** Builtins that only show or answer; `printf` and `test` have limits of their own. */
export const plainBuiltins = names("echo printf pwd true false test [ type :");
