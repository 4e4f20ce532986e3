import { groupNames, groupOf } from "../../src/agent/session-groups.ts";
import type {
  DecideOutcome,
  EventItem,
  FollowItem,
  FollowOptions,
  Overview,
  SessionAccount,
  SessionClient,
  SessionSummary,
  WaitingApproval,
} from "../../src/client/contract.ts";
import type { SessionState } from "../../src/protocol/session.ts";
import { DemoSession } from "./demo-session.ts";
import { answerMessage, FakeSessionClient, resultMessage } from "./fake-session-client.ts";

/** A session client over made-up sessions that change: no Temporal, no model, nothing is run. */
export class DemoClient extends FakeSessionClient {
  readonly demo = new Map<string, DemoSession>();
  private readonly wakes = new Set<() => void>();

  add(id: string, summary: Partial<SessionSummary>): DemoSession {
    const session = new DemoSession(id, summary, () => this.changed());
    this.demo.set(id, session);
    return session;
  }

  changed(): void {
    for (const wake of this.wakes) wake();
  }

  private found(id: string): DemoSession {
    const session = this.demo.get(id);
    if (!session) throw Object.assign(new Error(`no such session: "${id}"`), { name: "SessionNotFound" });
    return session;
  }

  get overview(): Overview {
    const all = [...this.demo.values()];
    const place = ({ state }: SessionSummary) => groupNames.indexOf(groupOf(state));
    const sessions = all
      .map(({ summary }) => ({ ...summary }))
      .sort((a, b) => place(a) - place(b) || b.startedAt - a.startedAt);
    const waiting = all
      .flatMap(({ summary: { id, title, repository }, state }): WaitingApproval[] =>
        state.pending.map((approval) => ({ sessionId: id, title, repository, approval })),
      )
      .sort((a, b) => a.approval.requestedAt - b.approval.requestedAt);
    return { sessions, waiting };
  }

  override async list(): Promise<SessionSummary[]> {
    return this.overview.sessions;
  }
  override async *watch(signal: AbortSignal): AsyncIterable<Overview> {
    let wake: () => void = () => undefined;
    const awake = () => wake();
    this.wakes.add(awake);
    signal.addEventListener("abort", awake);
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        yield this.overview;
        await changed;
      }
    } finally {
      this.wakes.delete(awake);
    }
  }
  override async state(id: string): Promise<SessionState> {
    return this.found(id).state;
  }
  override async account(id: string): Promise<SessionAccount> {
    return this.found(id).account;
  }
  override async *follow(id: string, options: FollowOptions): AsyncIterable<FollowItem> {
    yield* this.found(id).follow(options);
  }
  override async eventsBefore(): Promise<EventItem[]> {
    return [];
  }

  override async decide(id: string, given: Parameters<SessionClient["decide"]>[1]): Promise<DecideOutcome> {
    const session = this.found(id);
    const approval = session.state.pending.find((one) => one.id === given.approvalId);
    if (!approval) return { kind: "refused", reason: "no such approval waits" };
    const { approvalId, decision, by, via, remember, reason } = given;
    session.event({
      type: "approval_resolved",
      approvalId,
      toolCallId: approval.toolCallId,
      decision,
      by,
      ...(via ? { via } : {}),
      ...(remember ? { remember } : {}),
      ...(reason ? { reason } : {}),
    });
    if (remember === "session") {
      const text = approval.rememberText ?? "";
      session.state = { ...session.state, rules: [...session.state.rules, { key: text, text, by, at: Date.now() }] };
    }
    session.become("running", { pending: session.state.pending.filter((one) => one !== approval) });
    void this.afterDecision(session, approval.toolCallId, approval.toolName, decision, reason);
    return { kind: "accepted" };
  }

  private async afterDecision(
    session: DemoSession,
    toolCallId: string,
    toolName: string,
    decision: "allow" | "deny",
    reason?: string,
  ): Promise<void> {
    const summary = toolName;
    const isError = decision === "deny";
    if (!isError) {
      session.event({ type: "tool_execution_start", toolCallId, toolName, summary });
      await session.stream(toolCallId, 0, "output", "made-up output of a call that was allowed\nline 2\nline 3\n");
      session.event({ type: "tool_execution_end", toolCallId, toolName, summary, isError, durationMs: 1_200 });
    }
    const text = isError ? `A person denied this call. ${reason ?? ""}` : "made-up output of a call that was allowed";
    session.message(resultMessage(toolName, text, { toolCallId, isError, timestamp: Date.now() }), toolCallId);
    if (session.state.pending.length > 0) session.become("waiting");
    else await this.answer(session, isError ? "Then I leave it." : "That worked.");
  }

  override async send(id: string, prompt: Parameters<SessionClient["send"]>[1]): Promise<void> {
    const session = this.found(id);
    delete session.summary.closedAt;
    session.user(prompt.text);
    session.become("running");
    void this.answer(session, `You wrote: ${prompt.text}\n\nThis is a *made-up* answer that streams.`);
  }

  async answer(session: DemoSession, text: string): Promise<void> {
    const turn = session.state.turn + 1;
    session.state = { ...session.state, turn };
    session.event({ type: "turn_start", turn });
    await session.stream(`model:${turn}`, 0, "text", text);
    session.message(answerMessage(text, { timestamp: Date.now() }));
    session.frame(`model:${turn}`, [], true);
    session.event({ type: "turn_end", turn, usage: session.state.usage });
    session.event({ type: "agent_end", reason: "answered" });
    session.become("idle");
  }

  override async abort(id: string, by: string): Promise<void> {
    this.found(id).become("stopped", { cause: `stopped by ${by}`, pending: [] });
  }
  override async finish(id: string, by: string): Promise<void> {
    const session = this.found(id);
    session.summary.closedAt = Date.now();
    session.become("ended", { cause: `ended by ${by}`, pending: [] });
    session.tell({ kind: "closed", state: "ended" });
  }
  override async retry(id: string): Promise<void> {
    const session = this.found(id);
    session.retrying = undefined;
    session.become("running");
    await this.answer(session, "Now it went through.");
  }
  override async configure(id: string, changes: Parameters<SessionClient["configure"]>[1]): Promise<void> {
    const session = this.found(id);
    if (changes.title) session.summary.title = changes.title;
    const rules = session.state.rules.filter(({ key }) => !changes.forget?.includes(key));
    const thinking = changes.thinking ?? session.state.settings.thinking;
    session.state = {
      ...session.state,
      rules,
      title: session.summary.title,
      settings: { ...session.state.settings, thinking },
    };
    session.event({ type: "configured", changes: { ...(changes.title ? { title: changes.title } : {}), thinking } });
    session.tell({ kind: "state", state: session.state });
    this.changed();
  }
}
