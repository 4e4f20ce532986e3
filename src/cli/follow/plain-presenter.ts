import type { FollowItem } from "../../client/contract.ts";
import { endingLines } from "../render/ending.ts";
import type { CliServices } from "../services.ts";
import { type Line, line, paint, span } from "../text/line.ts";
import { lookOf } from "../text/look.ts";
import { sanitiseKeepingTabs } from "../text/sanitise.ts";
import type { FollowEnd, Presenter } from "./presenter.ts";
import type { SessionTracker } from "./tracker.ts";
import { FollowView } from "./view.ts";

/** Off a terminal: one line per change on stderr, the last answer alone on stdout. */
export class PlainPresenter implements Presenter {
  private readonly view: FollowView;
  private readonly tracker: SessionTracker;
  private readonly services: CliServices;
  private readonly sessionId: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(tracker: SessionTracker, services: CliServices, sessionId: string) {
    this.tracker = tracker;
    this.services = services;
    this.sessionId = sessionId;
    this.view = new FollowView(tracker, () => this.look(), { piped: true });
  }

  open(): void {
    this.timer = setInterval(() => this.write(this.view.announce(this.services.now())), 1_000);
  }

  take(item: FollowItem): void {
    this.write(this.view.take(item, this.services.now()));
  }

  busy(): boolean {
    return false;
  }

  say(text: string): void {
    this.write([line(span(text))]);
  }

  close(end: FollowEnd | undefined): void {
    clearInterval(this.timer);
    if (end === undefined) return;
    const { answer } = this.tracker;
    // Only an answer belongs on stdout: what was said before a stop or a failure is no answer.
    if (end.kind === "rest" && this.tracker.current === "idle" && answer !== "") {
      this.services.stdout.write(`${sanitiseKeepingTabs(answer).trimEnd()}\n`);
    }
    this.write(endingLines(this.tracker, end, this.sessionId, this.look()));
  }

  private look() {
    return { ...lookOf(this.services.stderr, this.services.environment), width: Number.POSITIVE_INFINITY };
  }

  private write(rows: readonly Line[]): void {
    const look = this.look();
    for (const row of rows) if (row.length > 0) this.services.stderr.write(`${paint(row, look)}\n`);
  }
}
