import { fileChanges } from "../../agent/session-account.ts";
import type { FollowItem } from "../../client/contract.ts";
import { LiveText, turnOfSource } from "../../protocol/live-text.ts";
import type { CliServices } from "../services.ts";
import { safeJson } from "../text/sanitise.ts";
import type { FollowEnd, Presenter } from "./presenter.ts";
import type { SessionTracker } from "./tracker.ts";

export const sessionStart = (sessionId: string): object => ({ type: "session_start", schema: 1, sessionId });

/** `--json`: one event per line on stdout, as docs/json.md describes them. */
export class JsonPresenter implements Presenter {
  private readonly tracker: SessionTracker;
  private readonly services: CliServices;
  private readonly sessionId: string;
  private readonly live = new LiveText();
  private readonly toolNames = new Map<string, string>();

  constructor(tracker: SessionTracker, services: CliServices, sessionId: string) {
    this.tracker = tracker;
    this.services = services;
    this.sessionId = sessionId;
  }

  open(): void {
    this.write(sessionStart(this.sessionId));
  }

  take(item: FollowItem): void {
    switch (item.kind) {
      case "event": {
        const { event, message } = item;
        if (event.type === "tool_execution_start") this.toolNames.set(event.toolCallId, event.toolName);
        this.write(message === undefined ? event : { ...event, message });
        return;
      }
      case "live":
        this.takeFrame(item.frame);
        return;
      case "retrying":
        this.write({ type: "retrying", ...rest(item) });
        return;
      case "offline":
        this.write({ type: "offline", ...rest(item) });
        return;
      case "resync":
        this.write({ type: "resync", ...rest(item) });
        return;
      case "workerRestarted":
        this.write({ type: "worker_restarted" });
        return;
    }
  }

  busy(): boolean {
    return false;
  }

  say(text: string): void {
    this.services.stderr.write(`tempi: ${safeJson(text).slice(1, -1)}\n`);
  }

  close(end: FollowEnd | undefined, failure?: string): void {
    const { tracker } = this;
    const bad = tracker.current === "blocked" || tracker.current === "failed";
    const error = failure ?? (bad ? (tracker.cause ?? tracker.current) : undefined);
    this.write({
      type: "session_result",
      sessionId: this.sessionId,
      state: tracker.current,
      answer: tracker.answer,
      turns: tracker.turns,
      usage: tracker.usage,
      cost: tracker.usage.costIncomplete ? null : (tracker.usage.cost ?? null),
      files: fileChanges(tracker.messages),
      denied: Math.max(tracker.denied, end?.deniedUnasked ?? 0),
      ...(end?.kind === "asked" ? { stopRequested: true } : {}),
      ...(error === undefined ? {} : { error, ...(tracker.next === undefined ? {} : { next: tracker.next }) }),
    });
  }

  private takeFrame(frame: Extract<FollowItem, { kind: "live" }>["frame"]): void {
    const turn = turnOfSource(frame.source);
    for (const { index, kind, name, delta, reset } of this.live.take(frame)) {
      const replaced = reset ? { reset: true } : {};
      if (turn === undefined) {
        const toolName = this.toolNames.get(frame.source) ?? "";
        this.write({ type: "tool_execution_update", toolCallId: frame.source, toolName, delta, ...replaced });
      } else {
        const update = { type: `${kind.toLowerCase()}_delta`, contentIndex: index, delta, ...(name ? { name } : {}) };
        this.write({
          type: "message_update",
          turn,
          attempt: frame.attempt,
          assistantMessageEvent: update,
          ...replaced,
        });
      }
    }
  }

  private write(event: object): void {
    this.services.stdout.write(`${safeJson(event)}\n`);
  }
}

function rest<T extends { kind: string }>({ kind: _, ...others }: T): Omit<T, "kind"> {
  return others;
}
