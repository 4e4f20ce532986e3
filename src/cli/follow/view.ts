import type { SessionEvent } from "../../agent/events.ts";
import { type AssistantMessage, type Message, type ToolResultMessage, textOf } from "../../agent/messages.ts";
import type { FollowItem } from "../../client/contract.ts";
import { LiveText, turnOfSource } from "../../protocol/live-text.ts";
import { callLine, tailLines } from "../render/call.ts";
import { markdownLines } from "../render/markdown.ts";
import { modelName, nextStep, sentence } from "../text/format.ts";
import { type Line, line, linesOf, span, wrap } from "../text/line.ts";
import { type Look, signsOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { type CallRow, failedTail, movingCall, settledCall } from "./call-rows.ts";
import type { SessionTracker } from "./tracker.ts";
import { compactionText, cutText, endText, retryLines, thinkingLine, userLines } from "./view-lines.ts";

/** Characters of streamed text that are laid out anew at each frame. */
const liveCharacters = 6_000;
/** Piped output names a running call after this long. */
const announceAfterMs = 2_000;

/**
 * What a follower shows: `take` gives the lines that stay, `moving` those that change in place. Streamed text stands
 * only in the moving part, so nothing shows twice when its message arrives.
 */
export class FollowView {
  /** The last thinking seen, for the key that unfolds it. */
  thinking = "";
  private readonly live = new LiveText();
  private readonly calls = new Map<string, CallRow>();
  private retrying: Extract<FollowItem, { kind: "retrying" }> | undefined;
  private offline: string | undefined;
  private compacting = false;
  private finishedTurn = 0;
  private turn = 0;
  private held: Message | undefined;
  private readonly tracker: SessionTracker;
  private readonly look: () => Look;
  private readonly options: { piped: boolean };

  /** `piped`: one line per change, Markdown as it is, and the last answer is held back (it goes to stdout). */
  constructor(tracker: SessionTracker, look: () => Look, options: { piped: boolean }) {
    this.tracker = tracker;
    this.look = look;
    this.options = options;
  }

  /** Lines to print for good. The tracker must have taken the item before. */
  take(item: FollowItem, now: number): Line[] {
    const look = this.look();
    switch (item.kind) {
      case "live":
        this.takeFrame(item.frame);
        return [];
      case "event":
        this.retrying = undefined;
        return this.takeEvent(item.event, item.message, look);
      case "retrying":
        this.retrying = item;
        return this.options.piped ? retryLines(item, look, now, this.options) : [];
      case "offline":
        this.offline = item.offline ? (item.why ?? "no worker answers") : undefined;
        if (!this.options.piped) return [];
        return [line(span(item.offline ? this.offlineText() : "the worker is back", "dim"))];
      case "resync":
        return wrap(line(span(sanitiseLine(`a part is not shown: ${item.why}`), "dim")), look.width);
      case "workerRestarted":
        return wrap(line(span("the worker restarted; the session goes on", "dim")), look.width);
      default:
        return [];
    }
  }

  /** The part that changes in place, newest last. */
  moving(now: number): Line[] {
    const look = this.look();
    const rows: Line[] = [];
    for (const source of this.live.names()) {
      if (turnOfSource(source) === undefined) continue;
      for (const block of this.live.blocks(source)) rows.push(...this.liveBlock(block, look));
    }
    const asking = new Set(this.tracker.pending.map((approval) => approval.toolCallId));
    for (const call of this.calls.values()) {
      rows.push(...movingCall(call, this.outputOf(call.toolCallId), asking.has(call.toolCallId), look, now));
    }
    if (this.compacting) rows.push(line(span(`compacting the context${signsOf(look).ellipsis}`, "dim")));
    if (this.retrying !== undefined) rows.push(...retryLines(this.retrying, look, now, this.options));
    if (this.offline !== undefined) rows.push(...wrap(line(span(this.offlineText(), "yellow")), look.width));
    return rows;
  }

  /** Piped only: says once that a call runs which takes long. */
  announce(now: number): Line[] {
    const asking = new Set(this.tracker.pending.map((approval) => approval.toolCallId));
    const rows: Line[] = [];
    for (const call of this.calls.values()) {
      const waits = call.ended !== undefined || call.announced || asking.has(call.toolCallId);
      if (waits || now - call.startedAt < announceAfterMs) continue;
      call.announced = true;
      rows.push(callLine({ state: "running", toolName: call.toolName, summary: call.summary }, this.look()));
    }
    return rows;
  }

  private takeFrame(frame: Extract<FollowItem, { kind: "live" }>["frame"]): void {
    const turn = turnOfSource(frame.source);
    // Frames that come after their record would show the text a second time.
    const late = turn === undefined ? this.calls.get(frame.source)?.ended !== undefined : turn <= this.finishedTurn;
    if (late) return;
    this.retrying = undefined;
    this.live.take(frame);
  }

  private takeEvent(event: SessionEvent, message: Message | undefined, look: Look): Line[] {
    const signs = signsOf(look);
    switch (event.type) {
      case "turn_start":
        this.turn = event.turn;
        this.finishedTurn = event.turn - 1;
        return [];
      case "message_end":
        return message === undefined ? [] : this.takeMessage(event, message, look);
      case "tool_execution_start":
        this.calls.set(event.toolCallId, { ...event, startedAt: event.at });
        return [];
      case "tool_execution_end": {
        const call = this.calls.get(event.toolCallId) ?? { ...event, startedAt: event.at - event.durationMs };
        call.summary = event.summary || call.summary;
        call.ended = { isError: event.isError, durationMs: event.durationMs };
        if (event.toolName === "until") return this.checked(call, look);
        this.calls.set(event.toolCallId, call);
        return [];
      }
      case "approval_requested": {
        if (!this.options.piped) return [];
        const { toolName, summary } = event.approval;
        return [callLine({ state: "asks", toolName, summary, note: "waits for approval" }, look)];
      }
      case "approval_resolved":
        return this.resolved(event, look);
      case "decision_refused":
        return wrap(line(span(`a decision of ${event.by} was refused: ${event.reason}`, "yellow")), look.width);
      case "configured": {
        const changes = Object.entries(event.changes).map(([name, value]) => `${name} = ${modelName(value)}`);
        return wrap(line(span(`set ${changes.join(", ")}`, "dim")), look.width);
      }
      case "notice":
        return wrap(line(span(sanitiseLine(`${signs.dot} ${event.text}`), "yellow")), look.width);
      case "compaction_start":
        this.compacting = true;
        return [];
      case "compaction_end": {
        this.compacting = false;
        const tone = event.errorMessage === undefined ? "dim" : "yellow";
        return wrap(line(span(sanitiseLine(compactionText(event, look)), tone)), look.width);
      }
      case "state_changed": {
        if (event.state !== "blocked" && event.state !== "failed") return [];
        const next = event.next === undefined ? "" : ` ${nextStep(event.next)}`;
        const cause = sentence(event.cause ?? "no cause given");
        return wrap(line(span(`${signs.failed} ${event.state}`, "red", "bold"), `: ${cause}${next}`), look.width);
      }
      case "agent_end": {
        this.calls.clear();
        this.compacting = false;
        const text = endText(event.reason);
        return text === undefined ? [] : [line(span(`${signs.none} ${text}`, "yellow"))];
      }
      default:
        return [];
    }
  }

  /** The check of an answer has no result that a model reads. */
  private checked(call: CallRow, look: Look): Line[] {
    this.calls.delete(call.toolCallId);
    this.live.drop(call.toolCallId);
    return [...this.release(look), ...settledCall(call, undefined, look)];
  }

  private resolved(event: Extract<SessionEvent, { type: "approval_resolved" }>, look: Look): Line[] {
    const call = this.calls.get(event.toolCallId);
    // The time it waited for a person is not the call's.
    if (event.decision === "allow" && call !== undefined) call.startedAt = event.at;
    if (event.decision === "allow") {
      const changed = event.edited === undefined ? "" : ` with changed arguments: ${sanitiseLine(event.edited)}`;
      return wrap(line(span(`  allowed by ${event.by}${changed}`, "dim")), look.width);
    }
    const reason = event.reason ? `: ${event.reason}` : "";
    const words = event.decision === "withdrawn" ? "withdrawn" : `denied by ${event.by}${reason}`;
    if (call !== undefined) call.notRun = words;
    return call === undefined ? wrap(line(span(`  ${words}`, "dim")), look.width) : [];
  }

  private takeMessage(event: Extract<SessionEvent, { type: "message_end" }>, message: Message, look: Look): Line[] {
    switch (message.role) {
      case "user": {
        const text = textOf(message.content);
        // What failed stands above it.
        const lines = message.source === "until" ? tailLines(text, failedTail, look) : userLines(text, look);
        return [...this.release(look), ...lines];
      }
      case "assistant": {
        this.finishedTurn = Math.max(this.turn, this.finishedTurn);
        for (const source of this.live.names()) if (turnOfSource(source) !== undefined) this.live.drop(source);
        const released = this.release(look);
        const answers = message.stopReason === "stop" && !message.content.some((block) => block.type === "toolCall");
        if (this.options.piped && answers) {
          this.held = message;
          return released;
        }
        return [...released, ...this.assistantLines(message, look)];
      }
      case "toolResult": {
        const call = this.callOf(event, message);
        this.calls.delete(call.toolCallId);
        this.live.drop(call.toolCallId);
        return settledCall(call, message, look);
      }
    }
  }

  /** An answer that was held back and turned out not to be the last one. */
  private release(look: Look): Line[] {
    const held = this.held;
    this.held = undefined;
    return held?.role === "assistant" ? this.assistantLines(held, look) : [];
  }

  private assistantLines(message: AssistantMessage, look: Look): Line[] {
    const thinking = message.content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("\n");
    if (thinking.trim() !== "") this.thinking = thinking;
    const text = textOf(message.content).trim();
    const rows = thinking.trim() === "" ? [] : [thinkingLine("thought", thinking, look)];
    if (text !== "") {
      rows.push(...(this.options.piped ? linesOf(text) : [[], ...markdownLines(text, look)]));
    }
    const cut = cutText(message);
    if (cut !== undefined) rows.push(...wrap(line(span(cut, "yellow")), look.width));
    return rows;
  }

  /** The call of a result: by our id, else the oldest ended call of that tool. */
  private callOf(event: Extract<SessionEvent, { type: "message_end" }>, result: ToolResultMessage): CallRow {
    const byId = this.calls.get(event.toolCallId ?? "");
    if (byId !== undefined) return byId;
    for (const call of this.calls.values()) if (call.ended && call.toolName === result.toolName) return call;
    return { toolCallId: event.toolCallId ?? "", toolName: result.toolName, summary: "", startedAt: event.at };
  }

  private outputOf(callId: string): string {
    return this.live
      .blocks(callId)
      .map((block) => block.text)
      .join("\n");
  }

  private liveBlock(block: { kind: string; name?: string; text: string }, look: Look): Line[] {
    if (block.kind === "thinking") return [thinkingLine("thinking", block.text, look)];
    if (block.kind === "toolCall") {
      return [callLine({ state: "none", toolName: block.name ?? "tool", summary: signsOf(look).ellipsis }, look)];
    }
    return [[], ...markdownLines(block.text.slice(-liveCharacters), look)];
  }

  private offlineText(): string {
    return `offline: ${this.offline}; the session goes on when its worker is back`;
  }
}
