import type { FollowItem } from "../../client/contract.ts";
import { approvalCard, cardKeyLines } from "../render/card.ts";
import { endingLines } from "../render/ending.ts";
import type { CliServices } from "../services.ts";
import { count, tokens } from "../text/format.ts";
import { type Line, line, linesOf, span, truncate, wrap } from "../text/line.ts";
import { type Look, lookOf, signsOf } from "../text/look.ts";
import { textWidth } from "../text/width.ts";
import { type Action, Interaction } from "./interaction.ts";
import type { Key } from "./keys.ts";
import { Notifier } from "./notifier.ts";
import type { FollowControls, FollowEnd, Presenter } from "./presenter.ts";
import { RawTerminal } from "./raw-terminal.ts";
import { Screen } from "./screen.ts";
import type { SessionTracker } from "./tracker.ts";
import { FollowView } from "./view.ts";

/** Frames are drawn together when they come closer than this. */
const drawDelayMs = 30;
/** A decision that had no effect after this long shows its card again. */
const decisionPatienceMs = 5_000;

/** Follows on a terminal: lines that stay above, what moves, the card and the input line below. */
export class TerminalPresenter implements Presenter {
  private readonly tracker: SessionTracker;
  private readonly services: CliServices;
  private readonly options: { sessionId: string; notify: boolean };
  private readonly view: FollowView;
  private readonly screen: Screen;
  private readonly interaction = new Interaction();
  private readonly notifier: Notifier;
  private readonly decided = new Map<string, number>();
  private readonly told = new Set<string>();
  private terminal: RawTerminal | undefined;
  private controls: FollowControls | undefined;
  /** Lines that wait until the person has finished typing. */
  private waiting: Line[] = [];
  private frozen: Line[] | undefined;
  private hint = "";
  private drawTimer: NodeJS.Timeout | undefined;
  private tickTimer: NodeJS.Timeout | undefined;

  constructor(tracker: SessionTracker, services: CliServices, options: { sessionId: string; notify: boolean }) {
    this.tracker = tracker;
    this.services = services;
    this.options = options;
    this.view = new FollowView(tracker, this.look, { piped: false });
    this.screen = new Screen(services.stdout, this.look);
    this.notifier = new Notifier(services.stdout, { enabled: options.notify, now: () => services.now() });
  }

  open(controls: FollowControls): void {
    this.controls = controls;
    this.terminal = new RawTerminal(this.services, (key) => this.press(key));
    this.services.stdout.on?.("resize", this.draw);
    this.tickTimer = setInterval(this.draw, 1_000);
    this.draw();
  }

  take(item: FollowItem): void {
    this.waiting.push(...this.view.take(item, this.services.now()));
    for (const approval of this.tracker.pending) {
      if (this.told.has(approval.id)) continue;
      this.told.add(approval.id);
      this.notifier.tell(`${this.options.sessionId} waits: ${approval.toolName} ${approval.summary}`);
    }
    this.drawSoon();
  }

  busy(): boolean {
    return !this.interaction.editor.empty;
  }

  say(text: string): void {
    this.waiting.push(...wrap(line(span(text, "yellow")), this.look().width));
    this.drawSoon();
  }

  close(end: FollowEnd | undefined): void {
    clearTimeout(this.drawTimer);
    clearInterval(this.tickTimer);
    this.services.stdout.off?.("resize", this.draw);
    const last = end === undefined ? [] : [[], ...endingLines(this.tracker, end, this.options.sessionId, this.look())];
    this.screen.show([...this.waiting, ...last], [], 0);
    if (end?.kind === "rest") this.notifier.tell(`${this.options.sessionId} ${this.tracker.current}`);
    this.terminal?.close();
  }

  private readonly look = (): Look => lookOf(this.services.stdout, this.services.environment);

  private press(key: Key): void {
    this.notifier.seen();
    this.hint = "";
    this.act(this.interaction.press(key, this.services.now()));
    this.draw();
    // The end may have waited for the line to be sent or emptied.
    if (this.interaction.editor.empty) this.controls?.recheck();
  }

  private act(action: Action): void {
    const dot = ` ${signsOf(this.look()).dot} `;
    switch (action.kind) {
      case "leave":
        this.controls?.leave();
        return;
      case "leaveHint":
        this.hint = `${this.options.sessionId} goes on${dot}Ctrl-C again leaves${dot}Esc stops this turn`;
        return;
      case "hint":
        this.hint = action.text;
        return;
      case "stopTurn":
        this.hint = "stopping this turn; the session stays";
        this.controls?.stopTurn();
        return;
      case "send": {
        const how = action.delivery === "steer" ? "steers" : "follow-up";
        this.waiting.push(...wrap(line(span(`${how}: ${action.text}`, "dim")), this.look().width));
        this.controls?.send(action.text, action.delivery);
        return;
      }
      case "decide": {
        const { approval, decision, remember, reason } = action;
        this.decided.set(approval.id, this.services.now());
        this.controls?.decide(approval, decision, {
          ...(remember === undefined ? {} : { remember }),
          ...(reason === undefined ? {} : { reason }),
        });
        return;
      }
      case "showWhole":
        this.waiting.push(...approvalCard(action.approval, this.look(), { most: Number.POSITIVE_INFINITY }).lines);
        return;
      case "showThinking":
        if (this.view.thinking === "") this.hint = "no thinking yet";
        else {
          const rows = linesOf(this.view.thinking, "dim").flatMap((row) => wrap(row, this.look().width));
          this.waiting.push(...rows);
        }
        return;
      case "redraw":
        this.services.stdout.write("\x1b[2J\x1b[H");
        this.screen.forget();
        return;
      case "suspend":
        this.screen.show([], [], 0);
        this.screen.forget();
        this.terminal?.suspend(this.draw);
        return;
    }
  }

  private drawSoon(): void {
    this.drawTimer ??= setTimeout(this.draw, drawDelayMs);
  }

  private readonly draw = (): void => {
    clearTimeout(this.drawTimer);
    this.drawTimer = undefined;
    const now = this.services.now();
    const look = this.look();
    this.interaction.setCard(
      this.tracker.pending.find(
        ({ id }) => now - (this.decided.get(id) ?? Number.NEGATIVE_INFINITY) > decisionPatienceMs,
      ),
    );
    this.interaction.dropStray(now);
    const typing = !this.interaction.editor.empty;
    this.frozen = typing ? (this.frozen ?? this.view.moving(now)) : undefined;
    const below = this.belowLines(look, now, typing);
    const above = (this.frozen ?? this.view.moving(now)).slice(-Math.max(0, this.screen.room - below.rows.length));
    this.screen.show(typing ? [] : this.waiting, [...above, ...below.rows], below.column);
    if (!typing) this.waiting = [];
  };

  /** Card, hint, status and input line. */
  private belowLines(look: Look, now: number, typing: boolean): { rows: Line[]; column: number } {
    const { card, reasoning, editor } = this.interaction;
    const rows: Line[] = [];
    if (card !== undefined) {
      const of = this.tracker.pending.length;
      const position = this.tracker.pending.indexOf(card.approval) + 1;
      const drawn = approvalCard(card.approval, look, { most: Math.max(3, this.screen.room - 9), position, of });
      rows.push([], ...drawn.lines);
      // Keys answer only while the line is empty: what does not work is not offered.
      if (!reasoning && !typing) rows.push(...cardKeyLines(card.approval, look));
      this.interaction.drawn(drawn.hiddenRows, now);
    }
    rows.push(
      truncate(line(span(this.hint || this.statusText(look, typing), this.hint ? "yellow" : "dim")), look.width, look),
    );
    const lead = `${reasoning ? "reason " : ""}${signsOf(look).prompt} `;
    const input = editor.visible(Math.max(1, look.width - textWidth(lead) - 1));
    rows.push(line(span(lead, "bold"), input.text));
    return { rows, column: textWidth(lead) + input.column };
  }

  private statusText(look: Look, typing: boolean): string {
    const dot = ` ${signsOf(look).dot} `;
    if (this.interaction.reasoning) return `Enter denies with this reason${dot}Esc goes back`;
    if (typing && this.interaction.card !== undefined) return `clear the line (Ctrl-U) to answer${dot}Enter steers`;
    if (typing) return `Enter steers${dot}Alt-Enter queues a follow-up${dot}Esc clears`;
    const { tracker } = this;
    const who = [this.options.sessionId, tracker.current];
    const keys = ["Esc stops", "Ctrl-C leaves"];
    const full = [...who, count(tracker.turns, "turn"), tokens(tracker.usage), ...keys].join(dot);
    if (full.length <= look.width) return full;
    const shorter = [...who, ...keys].join(dot);
    return shorter.length <= look.width ? shorter : who.join(dot);
  }
}
