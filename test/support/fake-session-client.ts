import type { Approval } from "../../src/agent/approval.ts";
import type { AgentEvent, SessionEvent, SessionOnlyEvent, SessionStateName } from "../../src/agent/events.ts";
import { type AssistantMessage, type Message, noUsage, type ToolResultMessage } from "../../src/agent/messages.ts";
import type { ConnectedClient } from "../../src/cli/services.ts";
import type {
  DecideOutcome,
  EventItem,
  FollowItem,
  FollowOptions,
  Overview,
  SessionAccount,
  SessionSummary,
} from "../../src/client/contract.ts";
import type { LiveBlock } from "../../src/protocol/live.ts";
import type { SessionState } from "../../src/protocol/session.ts";

export const at0 = Date.UTC(2026, 10, 30, 12, 0, 0);
const testId = "k7f3qd";

export const testState = (changes: Partial<SessionState> = {}): SessionState => ({
  sessionId: testId,
  runId: "run-1",
  state: "running",
  title: "mend the tests",
  cwd: "/home/demo",
  repository: "demo",
  settings: {
    model: { provider: "scripted", model: "/a" },
    thinking: "off",
    approval: "ask",
    activeTools: [],
    maxTurns: 200,
  },
  turn: 1,
  pending: [],
  running: [],
  queued: [],
  rules: [],
  usage: noUsage(),
  contextTokens: 0,
  messageCount: 0,
  lastEvent: 0,
  startedAt: at0,
  deniedCalls: 0,
  ...changes,
});

export const testSummary = (changes: Partial<SessionSummary> = {}): SessionSummary => ({
  id: testId,
  runId: "run-1",
  state: "running",
  title: "mend the tests",
  cwd: "/home/demo",
  repository: "demo",
  model: "scripted",
  waiting: 0,
  startedAt: at0,
  ...changes,
});

export const testApproval = (changes: Partial<Approval> = {}): Approval => ({
  id: "run-1.1.1.abc",
  kind: "tool",
  toolCallId: "1.1",
  toolName: "bash",
  summary: "npm publish",
  display: [{ kind: "command", command: "npm publish", cwd: "/home/demo" }],
  reason: "not-read-only",
  cwd: "/home/demo",
  rememberText: "bash: npm publish",
  requestedAt: at0,
  ...changes,
});

export const answerMessage = (text: string, changes: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
  provider: "p",
  model: "m",
  usage: noUsage(),
  stopReason: "stop",
  timestamp: at0,
  ...changes,
});

export const resultMessage = (
  toolName: string,
  text: string,
  changes: Partial<ToolResultMessage> = {},
): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: "call-1",
  toolName,
  content: [{ type: "text", text }],
  isError: false,
  timestamp: at0,
  ...changes,
});

/** Builds what a follower gets; events are numbered in the order they are made. */
export class ItemMaker {
  seq = 0;
  private messages = 0;
  now: () => number;
  constructor(now: () => number = () => at0) {
    this.now = now;
  }
  event(event: AgentEvent | SessionOnlyEvent, message?: Message): FollowItem {
    this.seq++;
    const numbered = { ...event, seq: this.seq, at: this.now() } as SessionEvent;
    return message === undefined ? { kind: "event", event: numbered } : { kind: "event", event: numbered, message };
  }
  message(message: Message, toolCallId?: string): FollowItem {
    const index = this.messages++;
    const call = toolCallId === undefined ? {} : { toolCallId };
    return this.event({ type: "message_end", messageId: `m${index}`, role: message.role, index, ...call }, message);
  }
  user(text: string): FollowItem {
    return this.message({ role: "user", content: [{ type: "text", text }], timestamp: at0 });
  }
  state(state: SessionStateName, changes: Partial<SessionState> = {}): FollowItem {
    return { kind: "state", state: testState({ state, lastEvent: this.seq, ...changes }) };
  }
  live(source: string, blocks: Partial<LiveBlock>[], changes: { attempt?: number } = {}): FollowItem {
    const full = blocks.map((block, index) => ({ index, kind: "text" as const, offset: 0, tail: "", ...block }));
    return {
      kind: "live",
      frame: { type: "frame", sessionId: testId, source, attempt: 1, seq: 1, blocks: full, ...changes },
    };
  }
}

/** A session client that plays items and notes what was asked of it. */
export class FakeSessionClient implements ConnectedClient {
  uiUrl?: string;
  readonly asked: unknown[][] = [];
  sessions: SessionSummary[] = [];
  states = new Map<string, SessionState>();
  accounts = new Map<string, SessionAccount>();
  outcome: DecideOutcome = { kind: "accepted" };
  play: (client: FakeSessionClient, signal: AbortSignal) => AsyncIterable<FollowItem> | Iterable<FollowItem> = () => [];
  closed = false;
  onAsked: (call: unknown[]) => void = () => {};

  private note(...call: unknown[]): void {
    this.asked.push(call);
    this.onAsked(call);
  }
  calls(name: string): unknown[][] {
    return this.asked.filter((call) => call[0] === name);
  }
  async start(...args: Parameters<ConnectedClient["start"]>): Promise<void> {
    this.note("start", ...args);
  }
  async list(): Promise<SessionSummary[]> {
    return this.sessions;
  }
  async resolve(prefix: string): Promise<string> {
    this.note("resolve", prefix);
    const found = this.sessions.filter((one) => one.id.startsWith(prefix));
    if (found.length === 1) return found[0]!.id;
    throw Object.assign(new Error("none"), { name: "SessionNotFound", candidates: found.map(({ id }) => ({ id })) });
  }
  async state(id: string): Promise<SessionState> {
    const state = this.states.get(id);
    if (state === undefined) throw Object.assign(new Error("no such session"), { name: "SessionNotFound" });
    return state;
  }
  async account(id: string): Promise<SessionAccount> {
    const account = this.accounts.get(id);
    if (account === undefined) throw Object.assign(new Error("no such session"), { name: "SessionNotFound" });
    return account;
  }
  async *follow(id: string, options: FollowOptions): AsyncIterable<FollowItem> {
    this.note("follow", id, options.after);
    for await (const item of this.play(this, options.signal)) {
      if (options.signal.aborted) return;
      yield item;
    }
  }
  earlier: EventItem[] = [];
  async eventsBefore(id: string, seq: number): Promise<EventItem[]> {
    this.note("eventsBefore", id, seq);
    return this.earlier;
  }
  /** What `watch` tells, one after the other. */
  overviews: AsyncIterable<Overview> | Iterable<Overview> = [];
  async *watch(signal: AbortSignal): AsyncIterable<Overview> {
    this.note("watch");
    for await (const overview of this.overviews) {
      if (signal.aborted) return;
      yield overview;
    }
  }
  async send(...args: Parameters<ConnectedClient["send"]>): Promise<void> {
    this.note("send", ...args);
  }
  async decide(...args: Parameters<ConnectedClient["decide"]>): Promise<DecideOutcome> {
    this.note("decide", ...args);
    return this.outcome;
  }
  decisionSignal(...args: Parameters<ConnectedClient["decisionSignal"]>): string[] {
    this.note("decisionSignal", ...args);
    return ["workflow", "signal", "--workflow-id", `session-${args[0]}`, "--input", '{"reason":"don\'t"}'];
  }
  async abort(...args: Parameters<ConnectedClient["abort"]>): Promise<void> {
    this.note("abort", ...args);
  }
  async finish(...args: Parameters<ConnectedClient["finish"]>): Promise<void> {
    this.note("finish", ...args);
  }
  async retry(...args: Parameters<ConnectedClient["retry"]>): Promise<void> {
    this.note("retry", ...args);
  }
  async configure(...args: Parameters<ConnectedClient["configure"]>): Promise<void> {
    this.note("configure", ...args);
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}
