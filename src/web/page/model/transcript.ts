import type { Approval } from "../../../agent/approval.ts";
import type { SessionEvent } from "../../../agent/events.ts";
import { type Message, type ToolCall, toolCallsOf } from "../../../agent/messages.ts";
import type { EventItem } from "../../../client/contract.ts";
import { noteOf } from "./notes.ts";
import { asks, type CallRow, type Row } from "./rows.ts";

/** When things of a turn happened, milliseconds since 1970. */
export interface TurnTimes {
  turn: number;
  startedAt: number;
  answeredAt?: number;
  endedAt?: number;
}

/** The rows that events make, in their order. A row that changes becomes a new object, so that only it is drawn again. */
export class Transcript {
  rows: Row[] = [];
  readonly turns = new Map<number, TurnTimes>();
  /** Turns whose answer is recorded: live text of them is void. */
  readonly answered = new Set<number>();
  /** Newest turn seen. */
  turn = 0;
  readonly #callAt = new Map<string, number>();
  readonly #calls = new Map<string, ToolCall>();
  readonly #promptIds = new Set<string>();

  take({ event, message }: EventItem): void {
    const note = noteOf(event);
    if (note !== undefined) this.rows.push(note);
    switch (event.type) {
      case "turn_start":
        this.turn = event.turn;
        this.answered.delete(event.turn);
        this.turns.set(event.turn, { turn: event.turn, startedAt: event.at });
        return;
      case "turn_end":
        this.#turnTime({ turn: event.turn, endedAt: event.at });
        return;
      case "message_end":
        this.#takeMessage(event, message);
        return;
      case "tool_execution_start":
        this.#startCall(event);
        return;
      case "tool_execution_end":
        this.#change(event.toolCallId, {
          ended: { at: event.at, isError: event.isError, durationMs: event.durationMs },
          ...(event.summary === "" ? {} : { summary: event.summary }),
        });
        return;
      case "approval_requested":
        // A call that asks has a row, whatever of its beginning was told.
        this.#startCall({ ...event.approval, at: event.approval.requestedAt });
        this.#change(event.approval.toolCallId, { approval: event.approval, summary: event.approval.summary });
        this.#holdOthers(event.approval.toolCallId);
        return;
      case "approval_resolved": {
        const { decision, by, via, remember, edited, reason, at } = event;
        const more = { ...(via && { via }), ...(remember && { remember }), ...(reason && { reason }) };
        const changed = edited === undefined ? {} : { edited };
        this.#change(event.toolCallId, {
          resolution: { decision, by, at, ...more, ...changed },
          ...(edited ? { summary: edited } : {}),
        });
        this.#holdOthers(event.toolCallId);
        return;
      }
    }
  }

  /** Row of a call, if one was told. */
  call(toolCallId: string): CallRow | undefined {
    const at = this.#callAt.get(toolCallId);
    return at === undefined ? undefined : (this.rows[at] as CallRow);
  }

  /** What the model asked for, by our id of the call. */
  argumentsOf = (toolCallId: string): ToolCall | undefined => this.#calls.get(toolCallId);

  hasPrompt = (id: string): boolean => this.#promptIds.has(id);

  showOutput(toolCallId: string, output: string): boolean {
    const row = this.call(toolCallId);
    if (row === undefined || row.result !== undefined) return false;
    this.#change(toolCallId, { output });
    return true;
  }

  /** Approvals whose call asks, as the events tell it. */
  get pending(): Approval[] {
    const found: Approval[] = [];
    for (const at of this.#callAt.values()) {
      const row = this.rows[at] as CallRow;
      if (asks(row)) found.push(row.approval!);
    }
    return found;
  }

  #takeMessage(event: SessionEvent & { type: "message_end" }, message: Message | undefined): void {
    switch (event.role) {
      case "user":
        this.#promptIds.add(event.messageId);
        if (message?.role !== "user") return;
        this.rows.push({
          kind: "prompt",
          key: `prompt:${event.messageId}`,
          at: event.at,
          content: message.content,
          ...(message.source && { source: message.source }),
        });
        return;
      case "assistant":
        this.answered.add(this.turn);
        this.#turnTime({ turn: this.turn, answeredAt: event.at });
        if (message?.role !== "assistant") return;
        toolCallsOf(message).forEach((call, at) => {
          this.#calls.set(`${this.turn}.${at + 1}`, call);
        });
        this.rows.push({
          kind: "answer",
          key: this.#answerKey(event.messageId),
          turn: this.turn,
          at: event.at,
          message,
        });
        return;
      case "toolResult":
        if (message?.role !== "toolResult" || event.toolCallId === undefined) return;
        this.#change(event.toolCallId, { result: message, output: undefined });
        return;
    }
  }

  /** The live answer has the same key, so that what is on screen stays there; a turn that is tried again has more than one. */
  #answerKey(messageId: string): string {
    const key = liveAnswerKey(this.turn);
    return this.rows.findLast((row) => row.kind === "answer")?.key === key ? `${key}:${messageId}` : key;
  }

  #startCall(event: Pick<CallRow, "toolCallId" | "toolName" | "summary"> & { at: number }): void {
    const { toolCallId, toolName, summary, at } = event;
    if (this.#callAt.has(toolCallId)) return;
    const call = this.#calls.get(toolCallId);
    this.#callAt.set(toolCallId, this.rows.length);
    this.rows.push({
      kind: "call",
      key: `call:${toolCallId}`,
      turn: Number(toolCallId.split(".")[0]),
      toolCallId,
      toolName,
      summary,
      startedAt: at,
      ...(call && { call }),
    });
  }

  /** No call of an answer begins before a person decided all of them that ask. */
  #holdOthers(toolCallId: string): void {
    const turn = Number(toolCallId.split(".")[0]);
    const rows = [...this.#callAt.values()].map((at) => this.rows[at] as CallRow).filter((row) => row.turn === turn);
    const held = rows.some(asks);
    for (const row of rows) {
      if (asks(row) || row.ended !== undefined || (row.held === true) === held) continue;
      this.#change(row.toolCallId, { held });
    }
  }

  #change(toolCallId: string, changes: { [K in keyof CallRow]?: CallRow[K] | undefined }): void {
    const at = this.#callAt.get(toolCallId);
    if (at === undefined) return;
    this.rows[at] = { ...(this.rows[at] as CallRow), ...changes } as CallRow;
  }

  #turnTime(times: Omit<TurnTimes, "startedAt">): void {
    const before = this.turns.get(times.turn);
    if (before !== undefined) this.turns.set(times.turn, { ...before, ...times });
  }
}

export const liveAnswerKey = (turn: number): string => `answer:${turn}`;
