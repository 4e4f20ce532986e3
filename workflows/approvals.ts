import { condition, workflowInfo } from "@temporalio/workflow";
import type { Approval } from "../src/agent/approval.ts";
import type { ApprovalOutcome } from "../src/agent/batch.ts";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import { proofText } from "../src/protocol/proof.ts";
import { approvalIdOf, type DecideSignal } from "../src/protocol/session.ts";
import { verifyProof } from "./activities.ts";
import type { SessionRecord } from "./session-record.ts";

interface Pending {
  approval: Approval;
  prepared: PreparedCall;
  /** Prepares the call anew with the approver's arguments. */
  prepareEdited: (args: Record<string, unknown>) => Promise<PreparedCall>;
  outcome?: ApprovalOutcome;
  onSettled: (outcome: ApprovalOutcome) => void;
}

/** Approvals of the open batch: asked together, answered in any order; the first valid decision stands. */
export class Approvals {
  readonly #record: SessionRecord;
  readonly #cwd: string;
  readonly #pending = new Map<string, Pending>();
  readonly remembered: string[];
  readonly #onChange: () => void;

  constructor(record: SessionRecord, cwd: string, remembered: string[], onChange: () => void) {
    this.#record = record;
    this.#cwd = cwd;
    this.remembered = remembered;
    this.#onChange = onChange;
  }

  open(): Approval[] {
    return [...this.#pending.values()].filter(({ outcome }) => !outcome).map(({ approval }) => approval);
  }

  ask(prepared: PreparedCall, prepareEdited: Pending["prepareEdited"], onSettled: Pending["onSettled"]): void {
    const approval: Approval = {
      id: approvalIdOf(workflowInfo().runId, prepared.callId, prepared.digest),
      kind: "tool",
      toolCallId: prepared.callId,
      toolName: prepared.toolName,
      summary: prepared.summary,
      display: prepared.display,
      reason: prepared.reason ?? "level",
      ...(prepared.reasonDetail ? { reasonDetail: prepared.reasonDetail } : {}),
      ...(prepared.rememberText ? { rememberText: prepared.rememberText } : {}),
      cwd: this.#cwd,
      requestedAt: Date.now(),
    };
    this.#pending.set(approval.id, { approval, prepared, prepareEdited, onSettled });
    this.#record.emit({ type: "approval_requested", approval });
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
      if (!pending.outcome) this.#settle(pending, { kind: "aborted" }, "withdrawn", by);
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
    if (decision.decision === "deny") {
      const reason = decision.reason ? { reason: decision.reason } : {};
      this.#record.deniedCalls += 1;
      return this.#settle(found, { kind: "denied", ...reason }, "deny", by, decision.reason);
    }
    if (decision.args) return await this.#allowEdited(found, decision.args, by);
    if (decision.remember && found.prepared.rememberKey) this.remembered.push(found.prepared.rememberKey);
    this.#settle(found, { kind: "allowed", prepared: found.prepared }, "allow", by);
  }

  async #allowEdited(found: Pending, args: Record<string, unknown>, by: string): Promise<void> {
    const prepared = await found.prepareEdited(args);
    if (found.outcome) return;
    if (prepared.kind === "immediate") {
      const text = prepared.result?.message.content.find((block) => block.type === "text");
      this.#record.emit({
        type: "decision_refused",
        approvalId: found.approval.id,
        by,
        reason: `the edited arguments are not valid: ${text?.type === "text" ? text.text : "unknown reason"}`,
      });
      return;
    }
    // A person read these arguments: whatever policy says of them, this was the answer.
    this.#settle(found, { kind: "allowed", prepared: { ...prepared, kind: "ask" } }, "allow", by);
  }

  #settle(
    pending: Pending,
    outcome: ApprovalOutcome,
    decision: "allow" | "deny" | "withdrawn",
    by: string,
    reason?: string,
  ): void {
    pending.outcome = outcome;
    this.#record.emit({
      type: "approval_resolved",
      approvalId: pending.approval.id,
      toolCallId: pending.approval.toolCallId,
      decision,
      by,
      ...(reason ? { reason } : {}),
    });
    pending.onSettled(outcome);
    this.#onChange();
  }
}
