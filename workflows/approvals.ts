import { condition, workflowInfo } from "@temporalio/workflow";
import type { Approval, DecisionVia, Remember, SessionRule } from "../src/agent/approval.ts";
import type { ApprovalOutcome } from "../src/agent/batch.ts";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import { limits } from "../src/protocol/limits.ts";
import { proofText } from "../src/protocol/proof.ts";
import { approvalIdOf, type DecideSignal } from "../src/protocol/session.ts";
import { verifyProof } from "./activities.ts";
import { durationText } from "./duration-text.ts";
import type { SessionRecord } from "./session-record.ts";

interface Pending {
  approval: Approval;
  prepared: PreparedCall;
  /** Prepares the call anew with the approver's arguments. */
  prepareEdited: (args: Record<string, unknown>) => Promise<PreparedCall>;
  outcome?: ApprovalOutcome;
  onSettled: (outcome: ApprovalOutcome) => void;
}

interface Who {
  by: string;
  via?: DecisionVia;
}

/** Approvals of the open batch: asked together, answered in any order; the first valid decision stands. */
export class Approvals {
  readonly #record: SessionRecord;
  readonly #cwd: string;
  readonly #pending = new Map<string, Pending>();
  #rules: SessionRule[];
  readonly #onChange: () => void;

  constructor(record: SessionRecord, cwd: string, rules: SessionRule[], onChange: () => void) {
    this.#record = record;
    this.#cwd = cwd;
    this.#rules = rules;
    this.#onChange = onChange;
  }

  /** What was allowed for the rest of the session, oldest first. */
  get rules(): readonly SessionRule[] {
    return this.#rules;
  }

  /** Takes back what was allowed for the session; calls that run already go on. */
  forget(keys: readonly string[]): void {
    const gone = this.#rules.filter(({ key }) => keys.includes(key));
    if (gone.length === 0) return;
    this.#rules = this.#rules.filter((rule) => !gone.includes(rule));
    const forgot = gone.map(({ text }) => text).join("; ");
    this.#record.emit({ type: "configured", changes: { forgot: forgot.slice(0, 500) } });
  }

  open(): Approval[] {
    return [...this.#pending.values()].filter(({ outcome }) => !outcome).map(({ approval }) => approval);
  }

  ask(
    prepared: PreparedCall,
    prepareEdited: Pending["prepareEdited"],
    onSettled: Pending["onSettled"],
    kind: Approval["kind"] = "tool",
  ): void {
    const approval: Approval = {
      id: approvalIdOf(workflowInfo().runId, prepared.callId, prepared.digest),
      kind,
      toolCallId: prepared.callId,
      toolName: prepared.toolName,
      summary: prepared.summary,
      display: prepared.display,
      reason: prepared.reason ?? "level",
      ...(prepared.reasonDetail ? { reasonDetail: prepared.reasonDetail } : {}),
      ...(prepared.rememberText ? { rememberText: prepared.rememberText } : {}),
      ...(prepared.projectRule ? { projectRule: prepared.projectRule } : {}),
      cwd: this.#cwd,
      requestedAt: Date.now(),
      ...(prepared.deadlineMs ? { expiresAt: Date.now() + prepared.deadlineMs } : {}),
    };
    const pending: Pending = { approval, prepared, prepareEdited, onSettled };
    this.#pending.set(approval.id, pending);
    this.#record.emit({ type: "approval_requested", approval });
    if (prepared.deadlineMs) void this.#expire(pending, prepared.deadlineMs);
  }

  /** A rule's deadline: what nobody answered by then is denied. The timer goes when the answer comes. */
  async #expire(pending: Pending, milliseconds: number): Promise<void> {
    if (await condition(() => pending.outcome !== undefined, milliseconds)) return;
    const reason = `Nobody answered within ${durationText(milliseconds)}, which a rule sets as the deadline.`;
    this.#deny(pending, { by: "the deadline of a rule", via: "deadline", reason });
  }

  #deny(pending: Pending, { by, via, reason }: { by: string; via?: DecisionVia; reason?: string }): void {
    this.#record.deniedCalls += 1;
    this.#settle(pending, { kind: "denied", ...(reason ? { reason } : {}) }, "deny", {
      by,
      ...(via ? { via } : {}),
      ...(reason ? { reason } : {}),
    });
  }

  /** Waits until each one is answered or withdrawn, then forgets them. By call id. */
  async settled(): Promise<Map<string, ApprovalOutcome>> {
    await condition(() => this.open().length === 0);
    const outcomes = new Map([...this.#pending.values()].map(({ prepared, outcome }) => [prepared.callId, outcome!]));
    this.#pending.clear();
    return outcomes;
  }

  /** An abort: what still waits is withdrawn. */
  withdraw(by: string): void {
    for (const pending of this.#pending.values()) {
      if (!pending.outcome) this.#settle(pending, { kind: "aborted" }, "withdrawn", { by });
    }
  }

  /** Takes a decision, or tells why it changes nothing. */
  async decide(decision: DecideSignal): Promise<void> {
    const { approvalId, by } = decision;
    const refuse = (reason: string) => this.#record.emit({ type: "decision_refused", approvalId, by, reason });
    const found = this.#pending.get(approvalId);
    if (!found) return refuse("no such approval waits: it is unknown, or was decided or withdrawn before");
    if (found.outcome) return refuse("it was decided before");
    if (
      !(
        await verifyProof.executeWithOptions({ summary: `${decision.decision} by ${by}`.slice(0, 120) }, [
          { text: proofText(decision), proof: decision.proof },
        ])
      ).valid
    ) {
      return refuse("the decision carries no valid proof; use `tempi approve` or `tempi deny`");
    }
    // Another valid decision may have come while the proof was checked.
    if (found.outcome) return refuse("it was decided before");
    if (decision.decision === "deny") return this.#deny(found, decision);
    const who = { by, ...(decision.via ? { via: decision.via } : {}) };
    if (decision.args) return await this.#allowEdited(found, decision.args, who);
    const remember = this.#remember(found, decision);
    this.#settle(found, { kind: "allowed", prepared: found.prepared }, "allow", {
      ...who,
      ...(remember ? { remember } : {}),
    });
  }

  /** A rule for what comes: cards already on show still ask. One for the repository is written by who decided. */
  #remember({ prepared }: Pending, { remember, by }: DecideSignal): Remember | undefined {
    if (remember === "project") return prepared.projectRule ? remember : undefined;
    const { rememberKey: key, rememberText: text } = prepared;
    if (!remember || !key || !text) return undefined;
    if (!this.#rules.some((rule) => rule.key === key)) this.#rules.push({ key, text, by, at: Date.now() });
    this.#rules = this.#rules.slice(-limits.rememberedRules);
    return remember;
  }

  async #allowEdited(found: Pending, args: Record<string, unknown>, who: Who): Promise<void> {
    const prepared = await found.prepareEdited(args);
    if (found.outcome) return;
    if (prepared.kind === "immediate") {
      const text = prepared.result?.message.content.find((block) => block.type === "text");
      this.#record.emit({
        type: "decision_refused",
        approvalId: found.approval.id,
        by: who.by,
        reason: `the edited arguments are not valid: ${text?.type === "text" ? text.text : "unknown reason"}`,
      });
      return;
    }
    // A person read these arguments: whatever policy says of them, this was the answer.
    this.#settle(found, { kind: "allowed", prepared: { ...prepared, kind: "ask", edited: true } }, "allow", {
      ...who,
      edited: prepared.summary,
    });
  }

  #settle(
    pending: Pending,
    outcome: ApprovalOutcome,
    decision: "allow" | "deny" | "withdrawn",
    who: Who & { remember?: Remember; edited?: string; reason?: string },
  ): void {
    pending.outcome = outcome;
    this.#record.emit({
      type: "approval_resolved",
      approvalId: pending.approval.id,
      toolCallId: pending.approval.toolCallId,
      decision,
      ...who,
    });
    pending.onSettled(outcome);
    this.#onChange();
  }
}
