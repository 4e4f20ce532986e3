import { type GroupName, groupNames, groupOf } from "../../agent/session-groups.ts";
import type { SessionSummary } from "../../client/contract.ts";
import { UserError } from "../../config/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { follow } from "../follow/how.ts";
import { isHere } from "../is-here.ts";
import { ask } from "../questions.ts";
import { sessionRows } from "../render/list.ts";
import type { CliServices } from "../services.ts";
import { type Line, line, span, wrap } from "../text/line.ts";
import { lookOf, signsOf } from "../text/look.ts";
import { standpoint } from "../workspace.ts";
import { runCommand } from "./run.ts";
import { print, withClient } from "./with-client.ts";

const doneMost = 5;
const commandOf: Record<GroupName, (session: SessionSummary) => string> = {
  "Needs you": ({ id, state }) => (state === "blocked" ? `tempi retry ${id}` : `tempi approve ${id}`),
  Working: ({ id }) => `tempi attach ${id}`,
  Done: ({ id }) => `tempi show ${id}`,
};

/** `tempi` alone on a terminal: what needs you, what works, what is done; then a new task or a number. */
export async function overviewCommand(services: CliServices): Promise<number> {
  const numbered = services.hasSessions()
    ? await withClient(services, async (client) => order(await client.list(), services.cwd))
    : [];
  const look = lookOf(services.stdout, services.environment);
  print(services, overviewLines(numbered, services));
  const text = (await ask(services, `${signsOf(look).prompt} `))?.trim();
  if (text === undefined || text === "") return exitCodes.answered;
  if (!/^\d+$/.test(text)) return runCommand(services, [text], {});
  const chosen = numbered[Number(text) - 1];
  if (chosen === undefined) {
    const range = numbered.length === 0 ? "there is no session yet" : `the sessions go from 1 to ${numbered.length}`;
    throw new UserError(`${range}; not ${text}.`, {
      exitCode: exitCodes.usage,
      next: `tempi, or for a task that is a number: tempi run "${text}"`,
    });
  }
  return withClient(services, (client) => follow(client, services, chosen.id, {}));
}

/** Group by group, this repository first; only the last done ones. */
function order(sessions: readonly SessionSummary[], cwd: string): SessionSummary[] {
  const here = standpoint(cwd);
  return groupNames.flatMap((group) => {
    const own = sessions.filter((session) => groupOf(session.state) === group);
    const sorted = [...own.filter((one) => isHere(one, here)), ...own.filter((one) => !isHere(one, here))];
    return group === "Done" ? sorted.slice(0, doneMost) : sorted;
  });
}

function overviewLines(sessions: readonly SessionSummary[], services: CliServices): Line[] {
  const look = lookOf(services.stdout, services.environment);
  const rows: Line[] = [];
  let group: GroupName | undefined;
  const digits = String(sessions.length).length;
  const lead = (index: number): string => `${String(index + 1).padStart(digits)} `;
  const laidOut = sessionRows(sessions, look, services.now(), { lead });
  sessions.forEach((session, index) => {
    const own = groupOf(session.state);
    if (own !== group) rows.push(line(span(own, "bold")));
    group = own;
    rows.push(laidOut[index]!);
    rows.push(line(span(`${" ".repeat(digits + 3)}${commandOf[own](session)}`, "dim")));
  });
  const words = sessions.length === 0 ? "No sessions yet. Write what to do" : "A new task, or a number to attach";
  const hint = line(span(`${words} (tempi --help lists the commands).`, "dim"));
  return [...rows, ...wrap(hint, look.width)];
}
