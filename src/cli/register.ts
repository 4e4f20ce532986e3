import { type Command, InvalidArgumentError, Option } from "commander";
import { durationPattern } from "../config/duration.ts";
import type { CliServices } from "./services.ts";

/** Groups of the help text; machine commands name theirs themselves. */
export const helpGroups = { work: "Work:", answer: "Answer:", machine: "Machine:" } as const;

const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const approvalLevels = ["ask", "edits", "auto"];

/** Adds the session commands. Their code loads only when one of them runs, so help and errors stay fast. */
export function registerSessionCommands(program: Command, services: CliServices, done: (code: number) => void): void {
  const work = (signature: string, words: string) =>
    program.command(signature).description(words).helpGroup(helpGroups.work);
  const answer = (signature: string, words: string) =>
    program.command(signature).description(words).helpGroup(helpGroups.answer);

  runOptions(work("run [prompt...]", "start a session and follow it (- reads the prompt from stdin)")).action(
    async (words: string[], flags) =>
      done(await (await import("./commands/run.ts")).runCommand(services, words, flags)),
  );
  followOptions(work("attach [id]", "follow a session; it goes on when you leave")).action(async (id, flags) =>
    done(await (await import("./commands/attach.ts")).attachCommand(services, id, flags)),
  );
  followOptions(work("send [id] [text...]", "tell a session something, also when it is done"))
    .option("-f, --follow", "follow it afterwards")
    .option("--follow-up", "wait until it has answered instead of steering it now")
    .option("--file <path>", "append a file to the text (repeatable)", collect)
    .option("--image <path>", "an image to look at (repeatable)", collect)
    .action(async (id, words, flags) =>
      done(await (await import("./commands/send.ts")).sendCommand(services, id, words, flags)),
    );
  work("list", "sessions: what needs you, what works, what is done")
    .option("--waiting", "only what needs you")
    .option("--here", "only sessions of this repository")
    .option("--all", "all done ones too")
    .option("--json", "as one JSON array")
    .action(async (flags) => done(await (await import("./commands/list.ts")).listCommand(services, flags)));
  work("show [id]", "the account of a session: answer, files, commands, approvals")
    .option("--transcript", "the whole conversation")
    .option("--json", "as one JSON object")
    .action(async (id, flags) => done(await (await import("./commands/show.ts")).showCommand(services, id, flags)));
  work("diff [id] [path]", "what its edits changed, file by file").action(async (id, path) =>
    done(await (await import("./commands/diff.ts")).diffCommand(services, id, path)),
  );
  work("stop [id]", "stop the running turn; the session stays")
    .option("--end", "end the session")
    .action(async (id, flags) => done(await (await import("./commands/stop.ts")).stopCommand(services, id, flags)));
  work("set [id]", "change model, thinking, approval, tools or title of a session")
    .option("-m, --model <name>", "model, as provider/model")
    .addOption(new Option("--thinking <level>", "how much it thinks").choices(thinkingLevels))
    .addOption(new Option("--approval <level>", "what asks before it runs").choices(approvalLevels))
    .option("--tools <names>", "tools, separated by commas", names)
    .option("--title <text>", "title in lists")
    .option("--forget <numbers>", "take back what was allowed for the session: numbers as in show, or all")
    .action(async (id, flags) => done(await (await import("./commands/set.ts")).setCommand(services, id, flags)));

  answer("approve [id] [approval]", "allow what waits; alone on a terminal it shows every card")
    .option("--print", "print a signed `temporal workflow signal` instead, to be run elsewhere")
    .action(async (id, approval, flags) =>
      done(await (await import("./commands/decide.ts")).decideCommand(services, "allow", id, approval, flags)),
    );
  answer("deny [id] [approval]", "deny what waits")
    .option("-m, --reason <text>", "what the model is told")
    .option("--print", "print a signed `temporal workflow signal` instead, to be run elsewhere")
    .action(async (id, approval, flags) =>
      done(await (await import("./commands/decide.ts")).decideCommand(services, "deny", id, approval, flags)),
    );
  followOptions(answer("retry [id]", "go on with a blocked turn"))
    .option("-m, --model <name>", "with another model, as provider/model")
    .option("-f, --follow", "follow it afterwards")
    .action(async (id, flags) => done(await (await import("./commands/stop.ts")).retryCommand(services, id, flags)));
}

function runOptions(command: Command): Command {
  return followOptions(command)
    .option("-d, --detach", "print only the id and leave")
    .option("--once", "close the session right after the answer")
    .option("-m, --model <name>", "model, as provider/model")
    .addOption(new Option("--thinking <level>", "how much it thinks").choices(thinkingLevels))
    .addOption(new Option("--approval <level>", "what asks before it runs").choices(approvalLevels))
    .option("-C, --cwd <folder>", "workspace (default: this folder)")
    .option("--max-turns <number>", "stop after so many turns", wholeNumber)
    .option("--until <command>", "an answer counts only once this command exits with 0")
    .option("--timeout <time>", "stop after 30s, 15m, 2h or 1d", time)
    .option("--budget <dollars>", "ask before more than this is spent", money)
    .option("--tools <names>", "tools, separated by commas", names)
    .option("--system-prompt <file>", "a system prompt of your own in place of tempi's")
    .option("--file <path>", "append a file to the prompt (repeatable)", collect)
    .option("--image <path>", "an image to look at (repeatable)", collect)
    .option("-c, --continue <text>", "send the text to the newest session here instead")
    .option("-y, --yes", "no questions: download, first address, home folder as workspace");
}

const followOptions = (command: Command): Command =>
  command
    .option("--json", "one event per line on stdout (docs/json.md)")
    .addOption(
      new Option("--on-ask <what>", "off a terminal, when it waits: leave (exit 3) or deny and go on").choices([
        "park",
        "deny",
      ]),
    );

const collect = (value: string, before: string[] = []): string[] => [...before, value];

const names = (value: string): string[] => {
  const list = value.split(",").map((name) => name.trim());
  if (list.some((name) => !/^[\w-]+$/.test(name))) throw new InvalidArgumentError("Names are separated by commas.");
  return list;
};

const time = (value: string): string => {
  if (!new RegExp(durationPattern).test(value)) throw new InvalidArgumentError("It must be like 30s, 15m, 2h or 1d.");
  return value;
};

const money = (value: string): number => {
  const dollars = Number(value.replace(/^\$/, ""));
  if (!(dollars > 0 && dollars <= 1_000_000)) throw new InvalidArgumentError("It must be dollars above 0, like 5.");
  return dollars;
};

const wholeNumber = (value: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(value);
};
