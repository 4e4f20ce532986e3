// Lines that other agents let through, as data: S01–S16 of the shared list and kin. `@C@` is the canary.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../../src/agent/rule.ts";

export interface CommandProbe {
  id: string;
  line: string;
  /** Why the line cannot leave its canary on the machines that run these tests. */
  quiet?: string;
  /** What shows that it fired, where it is not the canary. */
  fired?: (folder: string) => boolean;
}

const gone = (folder: string): boolean => !existsSync(join(folder, "victim"));
const settings = (folder: string): boolean => existsSync(join(folder, ".agent", "settings.json"));

const probes = (id: string, ...lines: (string | Omit<CommandProbe, "id">)[]): CommandProbe[] =>
  lines.map((line) => (typeof line === "string" ? { id, line } : { id, ...line }));

export const commandProbes: CommandProbe[] = [
  ...probes(
    "S01",
    "echo a; touch @C@",
    "echo a && touch @C@",
    "grep zzz a.txt || touch @C@",
    "echo a | touch @C@",
    "echo a & touch @C@",
    "echo a |& touch @C@",
    "touch @C@ | cat",
    "echo a;touch @C@",
  ),
  ...probes("S02", "echo a\ntouch @C@", "echo a\n\n  touch @C@\n", "echo a &&\ntouch @C@"),
  ...probes(
    "S03",
    "echo $(touch @C@)",
    'echo "$(touch @C@)"',
    'cat "notes-`touch @C@`.md"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell
    "echo ${x:-$(touch @C@)}",
    "echo $((a[$(touch @C@)]))",
    "cat <<EOF\n$(touch @C@)\nEOF",
  ),
  ...probes("S04", "cat <(touch @C@)"),
  ...probes(
    "S05",
    "find . -maxdepth 0 -exec touch @C@ \\;",
    "find . -maxdepth 0 -exec touch @C@ ';'",
    "find . -maxdepth 0 -execdir touch @C@ ';'",
    "find . -maxdepth 0 -fprintf @C@ x",
    "find . -maxdepth 0 -fprint @C@",
    "find . -maxdepth 0 -fls @C@",
    { line: "find . -name victim -delete", fired: gone },
  ),
  ...probes("S06", "FOO=1 touch @C@", "GIT_EXTERNAL_DIFF='touch @C@;:' git diff"),
  ...probes("S07", "export GIT_EXTERNAL_DIFF='touch @C@;:'; git diff"),
  ...probes(
    "S08",
    "env -S 'touch @C@'",
    "timeout 5 touch @C@",
    "nice -n 1 touch @C@",
    "echo @C@ | xargs -t touch",
    "bash -c 'touch @C@'",
    "eval 'touch @C@'",
    "command touch @C@",
    "echo 'touch @C@' | sh",
  ),
  ...probes("S09", "echo t | sed 's#t#touch @C@#e'", "sed -n 'w @C@' a.txt", "sed '1e touch @C@' a.txt", {
    line: "sed -i '/./d' victim",
    fired: (folder) => existsSync(join(folder, "victim")),
  }),
  ...probes(
    "S10",
    "sort a.txt -o @C@",
    "sort -o@C@ a.txt",
    "sort -ro @C@ a.txt",
    "sort --outp=@C@ a.txt",
    "sort -S 1b --compress-program=sh big.txt",
    "git diff --output=@C@",
    { line: "git diff --outp @C@", quiet: "git takes this beginning for several of its options" },
    "git log --output @C@",
  ),
  ...probes(
    "S11",
    "rg --pre sh x",
    "rg --pre=sh x",
    `rg --color always --hyperlink-format 'file://{host}{path}' --hostname-bin ./h c`,
    `rg --color always --hyperlink-format 'file://{host}{path}' --hostname-bin=./h c`,
  ),
  ...probes("S12", "echo x >| @C@", "echo x 1<> @C@", "exec 3>@C@", "echo x > @C@", "cat a.txt &> @C@"),
  ...probes("S13", { line: "cd .agent && tee settings.json <<< '{}'", fired: settings }),
  ...probes("S14", `${"true;".repeat(500)} touch @C@`, `${"echo a;".repeat(1_500)} touch @C@`),
  ...probes("S15", "touch$IFS@C@", "{touch,@C@}", "$'\\164ouch' @C@", "to\\uch @C@", "to''uch @C@"),
  ...probes(
    "S16",
    "git -c core.fsmonitor='touch @C@;false' status",
    "git -c alias.st='!touch @C@' st",
    "git -c diff.external='touch @C@;:' diff",
    { line: "git --paginate status", quiet: "a pager starts only at a terminal" },
    "git --exec-path=./bin status-x || touch @C@",
  ),
  ...probes(
    "compound",
    "(touch @C@)",
    "{ touch @C@; }",
    "if true; then touch @C@; fi",
    "f() { touch @C@; }; f",
    "! touch @C@",
    "time touch @C@",
  ),
];

const rule = (decision: Rule["decision"], command: string, number: number): Rule => ({
  decision,
  tool: "bash",
  command,
  match: [],
  notMatch: [],
  origin: { kind: "user", file: "/config.toml", number },
});

/** Rules of the user, for tests. */
export const rulesOf = (decision: Rule["decision"], ...commands: string[]): Rule[] =>
  commands.map((command, index) => rule(decision, command, index + 1));

/** The policy that the list of probes assumes. */
export const probeRules: Rule[] = [
  ...rulesOf(
    "allow",
    ...["echo *", "ls *", "cat *", "grep *", "find *", "sort *", "sed *"],
    ...["git status *", "git diff *", "git log *", "npm test"],
  ),
  ...rulesOf("deny", "curl *"),
];
