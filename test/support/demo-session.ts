import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../../src/agent/approval.ts";
import type { AgentEvent, SessionEvent, SessionOnlyEvent, SessionStateName } from "../../src/agent/events.ts";
import type { Message, StoredMessage } from "../../src/agent/messages.ts";
import type {
  EventItem,
  FollowItem,
  FollowOptions,
  SessionAccount,
  SessionSummary,
} from "../../src/client/contract.ts";
import type { LiveBlock } from "../../src/protocol/live.ts";
import { LiveText } from "../../src/protocol/live-text.ts";
import type { SessionState } from "../../src/protocol/session.ts";
import { testState, testSummary } from "./fake-session-client.ts";

type Listener = (item: FollowItem) => void;

/** A made-up session that lives: what is done to it is told to its followers. */
export class DemoSession {
  readonly summary: SessionSummary;
  readonly events: EventItem[] = [];
  readonly messages: StoredMessage[] = [];
  state: SessionState;
  retrying: Extract<FollowItem, { kind: "retrying" }> | undefined;
  private readonly listeners = new Set<Listener>();
  private readonly changed: () => void;
  private readonly live = new Map<string, number>();
  private readonly text = new LiveText();

  constructor(id: string, summary: Partial<SessionSummary>, changed: () => void) {
    this.changed = changed;
    this.summary = testSummary({ id, runId: `run-of-${id}`, ...summary });
    const { title, cwd, repository, state, startedAt, runId } = this.summary;
    this.state = testState({ sessionId: id, runId, title, cwd, repository, state, startedAt });
  }

  /** What is told of a call while it runs is over with it. */
  private finish(event: AgentEvent | SessionOnlyEvent): void {
    if (event.type === "tool_execution_end") this.text.drop(event.toolCallId);
  }

  event(event: AgentEvent | SessionOnlyEvent, message?: Message, at = Date.now()): void {
    const numbered = { ...event, seq: this.events.length + 1, at } as SessionEvent;
    const item: EventItem = { kind: "event", event: numbered, ...(message ? { message } : {}) };
    this.events.push(item);
    this.state = { ...this.state, lastEvent: numbered.seq };
    this.finish(event);
    this.tell(item);
  }

  message(message: Message, toolCallId?: string): void {
    const index = this.messages.length;
    this.messages.push({ id: `${this.summary.id}-m${index}`, message });
    this.event(
      {
        type: "message_end",
        messageId: `${this.summary.id}-m${index}`,
        role: message.role,
        index,
        ...(toolCallId ? { toolCallId } : {}),
        ...(message.role === "toolResult" ? { toolName: message.toolName, isError: message.isError } : {}),
      },
      message,
      message.timestamp,
    );
  }

  user(text: string): void {
    this.message({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
  }

  become(state: SessionStateName, changes: Partial<SessionState> = {}): void {
    this.state = { ...this.state, state, messageCount: this.messages.length, ...changes };
    this.summary.state = state;
    this.summary.waiting = this.state.pending.length;
    const { cause, next } = changes;
    this.event({ type: "state_changed", state, ...(cause ? { cause } : {}), ...(next ? { next } : {}) });
    this.tell({ kind: "state", state: this.state });
    this.changed();
  }

  ask(approval: Approval): void {
    this.event({ type: "approval_requested", approval });
    this.become("waiting", { pending: [...this.state.pending, approval] });
  }

  /** Text that grows, a few words at a time. */
  async stream(source: string, index: number, kind: LiveBlock["kind"], text: string, pauseMs = 40): Promise<void> {
    for (let at = 0; at < text.length; at += 12) {
      const tail = text.slice(at, at + 12);
      const block: LiveBlock =
        kind === "output"
          ? { index, kind, offset: 0, tail: text.slice(0, at + 12) }
          : { index, kind, offset: at, tail };
      this.frame(source, [block]);
      await sleep(pauseMs);
    }
  }

  frame(source: string, blocks: LiveBlock[], done = false): void {
    const seq = (this.live.get(source) ?? 0) + 1;
    this.live.set(source, seq);
    const frame = { type: "frame" as const, sessionId: this.summary.id, source, attempt: 1, seq, blocks };
    this.text.take(frame);
    if (done) this.text.drop(source);
    this.tell({ kind: "live", frame: done ? { ...frame, done } : frame });
  }

  tell(item: FollowItem): void {
    for (const listener of this.listeners) listener(item);
  }

  async *follow({ after, signal }: FollowOptions): AsyncGenerator<FollowItem> {
    const queue: FollowItem[] = after === undefined ? [{ kind: "begin", first: 1 }] : [];
    queue.push(...this.events.filter(({ event }) => event.seq > (after ?? 0)), { kind: "state", state: this.state });
    for (const source of this.text.names()) {
      const frame = { type: "frame" as const, sessionId: this.summary.id, seq: 1, ...this.text.whole(source)! };
      queue.push({ kind: "live", frame });
    }
    if (this.retrying) queue.push(this.retrying);
    if (this.summary.closedAt !== undefined) queue.push({ kind: "closed", state: this.summary.state });
    let wake: () => void = () => undefined;
    const listener: Listener = (item) => {
      queue.push(item);
      wake();
    };
    this.listeners.add(listener);
    signal.addEventListener("abort", () => wake());
    try {
      while (!signal.aborted) {
        const item = queue.shift();
        if (item) yield item;
        if (item?.kind === "closed") return;
        if (item) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.listeners.delete(listener);
    }
  }

  get account(): SessionAccount {
    return {
      summary: this.summary,
      messages: this.messages,
      usage: this.state.usage,
      turns: this.state.turn,
      live: this.state,
      temporalUiPath: `/namespaces/default/workflows/session-${this.summary.id}/${this.summary.runId}/timeline`,
      ...(this.state.cause ? { cause: this.state.cause } : {}),
      ...(this.state.next ? { next: this.state.next } : {}),
    };
  }
}
