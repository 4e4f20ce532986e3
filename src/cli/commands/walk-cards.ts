import type { Approval } from "../../agent/approval.ts";
import type { WaitingApproval } from "../../client/contract.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Action, Interaction } from "../follow/interaction.ts";
import { RawTerminal } from "../follow/raw-terminal.ts";
import { Screen } from "../follow/screen.ts";
import { approvalCard, cardKeyLines } from "../render/card.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { count } from "../text/format.ts";
import { type Line, line, span, truncate, wrap } from "../text/line.ts";
import { lookOf, signsOf } from "../text/look.ts";
import { textWidth } from "../text/width.ts";
import { short } from "./decide.ts";

/** Shows one whole card after the other and takes its answer; Esc goes to the next, Ctrl-C or Ctrl-D ends. */
export async function walkCards(
  client: ConnectedClient,
  services: CliServices,
  waiting: readonly WaitingApproval[],
): Promise<number> {
  const walk = new CardWalk(services);
  let refused = 0;
  let left = waiting.length;
  try {
    for (const [index, one] of waiting.entries()) {
      const action = await walk.answer(one, index + 1, waiting.length);
      if (action === "leave") break;
      if (action === "skip") continue;
      const { decision, remember, reason } = action;
      const outcome = await client
        .decide(one.sessionId, {
          approvalId: one.approval.id,
          decision,
          by: services.person(),
          via: "terminal",
          ...(remember === undefined ? {} : { remember }),
          ...(reason === undefined ? {} : { reason }),
        })
        .catch((error: Error) => ({ kind: "refused" as const, reason: error.message }));
      if (outcome.kind === "refused") refused++;
      else left--;
      const words =
        outcome.kind === "refused" ? `refused: ${outcome.reason}` : decision === "allow" ? "allowed" : "denied";
      walk.print(line(span(`${one.sessionId} ${words}: ${short(one.approval)}`, refused > 0 ? "yellow" : "dim")));
    }
    walk.print(line(left === 0 ? "nothing else waits." : `${count(left, "approval")} left: tempi approve`));
  } finally {
    walk.close();
  }
  return refused > 0 ? exitCodes.failed : left > 0 ? exitCodes.needsPerson : exitCodes.answered;
}

type Answer = Extract<Action, { kind: "decide" }> | "skip" | "leave";

class CardWalk {
  private readonly services: CliServices;
  private readonly screen: Screen;
  private readonly terminal: RawTerminal;
  private readonly interaction = new Interaction();
  private current: { one: WaitingApproval; position: number; of: number } | undefined;
  private settle: (answer: Answer) => void = () => {};
  private hint = "";
  private above: Line[] = [];

  constructor(services: CliServices) {
    this.services = services;
    this.screen = new Screen(services.stdout, this.look);
    this.terminal = new RawTerminal(services, (key) => {
      this.hint = "";
      this.act(this.interaction.press(key, services.now()));
      this.draw();
    });
    services.stdout.on?.("resize", this.draw);
  }

  answer(one: WaitingApproval, position: number, of: number): Promise<Answer> {
    this.current = { one, position, of };
    this.interaction.setCard(one.approval);
    this.draw();
    return new Promise((resolve) => {
      this.settle = (answer) => {
        this.current = undefined;
        this.interaction.setCard(undefined);
        resolve(answer);
      };
    });
  }

  print(row: Line): void {
    this.above.push(...wrap(row, this.look().width));
    this.draw();
  }

  close(): void {
    this.services.stdout.off?.("resize", this.draw);
    this.screen.show(this.above, [], 0);
    this.terminal.close();
  }

  private readonly look = () => lookOf(this.services.stdout, this.services.environment);

  private act(action: Action): void {
    switch (action.kind) {
      case "decide":
        this.settle(action);
        return;
      case "leave":
      case "leaveHint":
        // Nothing runs here that could be stopped by mistake: once is enough.
        this.settle("leave");
        return;
      case "stopTurn":
        this.settle("skip");
        return;
      case "showWhole":
        this.showWhole(action.approval);
        return;
      case "hint":
        this.hint = action.text;
        return;
      case "send":
        this.hint = "only the keys above answer here; tempi send speaks to a session";
        return;
    }
  }

  private showWhole(approval: Approval): void {
    this.above.push(...approvalCard(approval, this.look(), { most: Number.POSITIVE_INFINITY }).lines);
  }

  private readonly draw = (): void => {
    const look = this.look();
    const rows: Line[] = [];
    let column = 0;
    if (this.current !== undefined) {
      const { one, position, of } = this.current;
      const title = `${one.sessionId} ${one.title}`;
      const card = approvalCard(one.approval, look, { most: Math.max(3, this.screen.room - 9), position, of, title });
      rows.push(...card.lines);
      if (!this.interaction.reasoning) rows.push(...cardKeyLines(one.approval, look));
      this.interaction.drawn(card.hiddenRows, this.services.now());
      const dot = ` ${signsOf(look).dot} `;
      const help = this.interaction.reasoning
        ? `Enter denies with this reason${dot}Esc goes back`
        : this.interaction.editor.empty
          ? `Esc next${dot}Ctrl-C leaves`
          : "clear the line (Ctrl-U) to answer";
      rows.push(truncate(line(span(this.hint || help, this.hint ? "yellow" : "dim")), look.width, look));
      const lead = `${this.interaction.reasoning ? "reason " : ""}${signsOf(look).prompt} `;
      const input = this.interaction.editor.visible(Math.max(1, look.width - textWidth(lead) - 1));
      rows.push(line(span(lead, "bold"), input.text));
      column = textWidth(lead) + input.column;
    }
    this.screen.show(this.above, rows, column);
    this.above = [];
  };
}
