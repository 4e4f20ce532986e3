import type { Approval } from "../../agent/approval.ts";
import type { SessionEvent, SessionStateName } from "../../agent/events.ts";
import { textOf } from "../../agent/messages.ts";
import { commandsRun, fileChanges, lastTest } from "../../agent/session-account.ts";
import { groupOf } from "../../agent/session-groups.ts";
import type { SessionAccount } from "../../client/contract.ts";
import { copyable, costOf, count, duration, modelName, moment, tokens } from "../text/format.ts";
import { type Line, line, plainText, span, truncate } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { markdownLines } from "./markdown.ts";

/** The account fits a small terminal: at most this many lines, whatever the session did. */
const accountMost = 24;
const answerMost = 8;
const filesMost = 4;
const failuresMost = 2;
const waitingMost = 2;

/** What one reads in the morning: what was asked, how it stands, what changed, what to do next. */
export function accountLines(
  account: SessionAccount,
  events: readonly SessionEvent[],
  look: Look,
  now: number,
  uiUrl?: string,
): Line[] {
  const above = head(account, look, now);
  const below = [
    ...files(account, look),
    ...commands(account, look),
    ...approvals(account, events, look),
    ...rules(account, look),
    ...next(account, look),
  ];
  // The answer is what gives way: the rest is bounded by itself.
  const room = Math.min(answerMost, accountMost - 1 - above.length - below.length);
  return [...above, ...answer(account, look, room), ...below]
    .map((row) => truncate(row, look.width, look))
    .concat(workflowLink(account, uiUrl));
}

/** Never cut: a cut address leads nowhere. */
const workflowLink = (account: SessionAccount, uiUrl: string | undefined): Line[] =>
  uiUrl === undefined ? [] : [line(span(`workflow: ${uiUrl.replace(/\/$/, "")}${account.temporalUiPath}`, "dim"))];

/** States that only the server knows: what the session last thought of itself is then out of date. */
const overruled = ({ summary }: SessionAccount): boolean => ["ended", "retrying", "offline"].includes(summary.state);

const stateOf = (account: SessionAccount): SessionStateName =>
  overruled(account) ? account.summary.state : (account.live?.state ?? account.summary.state);

const pendingOf = (account: SessionAccount): Approval[] =>
  account.summary.state === "ended" ? [] : (account.live?.pending ?? []);

function head(account: SessionAccount, look: Look, now: number): Line[] {
  const { summary, usage } = account;
  const dot = ` ${signsOf(look).dot} `;
  const state = stateOf(account);
  const end = summary.closedAt ?? lastTime(account);
  const ended = groupOf(state) === "Done" ? `ended ${moment(end, now)}, took ${duration(end - summary.startedAt)}` : "";
  const cause = overruled(account) ? account.cause : (account.live?.cause ?? account.cause);
  const turns = account.live?.turn ?? account.turns;
  return [
    line(span(sanitiseLine(summary.title), "bold")),
    line(
      span(summary.id, "bold"),
      dot,
      span(state, toneOf(state)),
      cause === undefined ? "" : `: ${sanitiseLine(cause)}`,
    ),
    line(span([`asked ${moment(summary.startedAt, now)}`, ended].filter(Boolean).join(dot), "dim")),
    line(span([count(turns, "turn"), tokens(usage), costOf(usage), modelName(summary.model)].join(dot), "dim")),
    line(span(`in ${summary.cwd}`, "dim")),
  ];
}

const lastTime = (account: SessionAccount): number =>
  account.messages.at(-1)?.message.timestamp ?? account.summary.startedAt;

function toneOf(state: SessionAccount["summary"]["state"]): "green" | "yellow" | "red" | "blue" {
  if (state === "blocked" || state === "failed") return "red";
  if (groupOf(state) === "Needs you") return "yellow";
  return groupOf(state) === "Working" ? "blue" : "green";
}

function answer(account: SessionAccount, look: Look, room: number): Line[] {
  const last = account.messages.findLast(
    ({ message }) => message.role === "assistant" && textOf(message.content).trim() !== "",
  );
  if (last === undefined) return [];
  const inside = { ...look, width: look.width - 2 };
  const rows = markdownLines(textOf(last.message.content), inside).filter((row) => plainText(row).trim() !== "");
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const more = rows.length - shown.length;
  const sign = signsOf(look).ellipsis;
  const rest =
    more > 0 ? [line(span(`${sign} ${more} more lines: tempi show ${account.summary.id} --transcript`, "dim"))] : [];
  return [...shown.map((row) => line(span(`${signsOf(look).bar} `, "dim"), ...row)), ...rest];
}

function files(account: SessionAccount, look: Look): Line[] {
  const signs = signsOf(look);
  const changes = fileChanges(account.messages);
  const shown = changes.slice(0, filesMost);
  const rest = changes.length - shown.length;
  return [
    ...shown.map((file) =>
      line(
        "  ",
        span(`+${file.added}`, "green"),
        " ",
        span(`${signs.minus}${file.removed}`, "red"),
        ` ${sanitiseLine(file.path)}`,
      ),
    ),
    ...(rest > 0 ? [line(span(`  ${signs.ellipsis} ${count(rest, "more file")}`, "dim"))] : []),
  ];
}

function commands(account: SessionAccount, look: Look): Line[] {
  const signs = signsOf(look);
  const runs = commandsRun(account.messages);
  if (runs.length === 0) return [];
  const failed = runs.filter((run) => run.failed);
  const test = lastTest(runs);
  const code = (run: { exitCode?: number }): string =>
    run.exitCode === undefined ? "no exit code" : `exit ${run.exitCode}`;
  return [
    line(`${count(runs.length, "command")} run, ${failed.length} failed`),
    ...failed
      .slice(-failuresMost)
      .map((run) =>
        line("  ", span(signs.failed, "red"), ` ${sanitiseLine(run.command)}`, span(` (${code(run)})`, "dim")),
      ),
    ...(failed.length > failuresMost
      ? [line(span(`  ${signs.ellipsis} and ${failed.length - failuresMost} more`, "dim"))]
      : []),
    ...(test === undefined
      ? []
      : [
          line(
            "last test: ",
            span(test.failed ? signs.failed : signs.done, test.failed ? "red" : "green"),
            ` ${sanitiseLine(test.command)}`,
            span(` (${code(test)})`, "dim"),
          ),
        ]),
  ];
}

function approvals(account: SessionAccount, events: readonly SessionEvent[], look: Look): Line[] {
  const signs = signsOf(look);
  const resolved = events.filter((event) => event.type === "approval_resolved");
  const pending = pendingOf(account);
  return [
    ...(resolved.length > 0 ? [line(`approvals: ${decisionsText(resolved)}`)] : []),
    ...pending
      .slice(0, waitingMost)
      .map((one) => line(span(signs.asks, "yellow"), ` waits: ${one.toolName} ${sanitiseLine(one.summary)}`)),
    ...(pending.length > waitingMost
      ? [line(span(`  ${signs.ellipsis} ${pending.length - waitingMost} more wait`, "dim"))]
      : []),
  ];
}

/** What was allowed for the rest of the session on one row, numbered as `set --forget` takes it. */
function rules(account: SessionAccount, look: Look): Line[] {
  const all = account.live?.rules ?? [];
  if (all.length === 0 || account.summary.state === "ended") return [];
  const listed = all.map(({ text }, at) => `${at + 1} ${sanitiseLine(text)}`).join(` ${signsOf(look).dot} `);
  return [
    line("allowed for this session: ", listed, span(` (tempi set ${account.summary.id} --forget NUMBER)`, "dim")),
  ];
}

/** `2 allowed, 1 denied, by ann@pc, 1 withdrawn`; who withdrew decided nothing. */
function decisionsText(resolved: readonly Extract<SessionEvent, { type: "approval_resolved" }>[]): string {
  const decided = resolved.filter((event) => event.decision !== "withdrawn");
  const allowed = decided.filter((event) => event.decision === "allow").length;
  const people = [...new Set(decided.map((event) => event.by))].map(sanitiseLine).join(", ");
  const withdrawn = resolved.length - decided.length;
  return [
    ...(decided.length > 0 ? [`${allowed} allowed, ${decided.length - allowed} denied, by ${people}`] : []),
    ...(withdrawn > 0 ? [`${withdrawn} withdrawn`] : []),
  ].join(", ");
}

function next(account: SessionAccount, look: Look): Line[] {
  const { id } = account.summary;
  const state = stateOf(account);
  const dot = ` ${signsOf(look).dot} `;
  const send = `tempi send ${id} "${signsOf(look).ellipsis}"`;
  const command =
    state === "waiting"
      ? `tempi approve ${id}${dot}tempi deny ${id}`
      : state === "blocked"
        ? copyable(account.live?.next ?? account.next ?? `tempi retry ${id}`)
        : groupOf(state) === "Working"
          ? `tempi attach ${id}${dot}tempi stop ${id}`
          : `${send}${dot}tempi show ${id} --transcript`;
  return [line(span("Next: ", "dim"), command)];
}
