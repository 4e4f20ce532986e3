import type { LoopEnd } from "../src/agent/loop.ts";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import { budgetCallId } from "../src/protocol/session.ts";
import type { PortsContext } from "./loop-ports.ts";

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** Before a request: where the session's money is spent, a person is asked for as much again. An end when there is none. */
export async function withinBudget(context: PortsContext, turn: number): Promise<LoopEnd | undefined> {
  const { settings, record, abort } = context;
  const step = settings.budget;
  if (step === undefined) return undefined;
  if (record.usage.costIncomplete) {
    record.noticeOnce("the price of a part of this session is not known: the budget counts only the rest");
  }
  for (;;) {
    const allowed = record.budget ?? step;
    const spent = record.usage.cost ?? 0;
    if (spent < allowed) return undefined;
    const answer = await ask(context, turn, { step, allowed, spent });
    if (abort.aborted) return { reason: "aborted" };
    if (answer !== "allowed") {
      return {
        reason: "budget",
        errorMessage: `the budget of ${dollars(allowed)} is spent (${dollars(spent)})`,
      };
    }
    record.budget = allowed + step;
  }
}

/** An approval like that of a call, of the turn that waits for it. */
async function ask(
  context: PortsContext,
  turn: number,
  { step, allowed, spent }: { step: number; allowed: number; spent: number },
): Promise<string> {
  const { approvals, abort } = context;
  const text = `${dollars(spent)} of ${dollars(allowed)} are spent. Allow ${dollars(step)} more? Denied, the work stops here; what is done stays.`;
  const prepared: PreparedCall = {
    callId: budgetCallId(turn),
    toolCallId: "",
    toolName: "budget",
    kind: "ask",
    effect: "read",
    executionMode: "sequential",
    lockKeys: [],
    // In place of a hash: the same question at the same amount is the same question.
    digest: Math.round(allowed * 100)
      .toString(16)
      .padStart(12, "0"),
    summary: `+${dollars(step)}?`,
    display: [{ kind: "text", text }],
    reason: "budget",
    notify: true,
  };
  const unchangeable = () => Promise.reject(new Error("a budget has no arguments to change"));
  approvals.ask(prepared, unchangeable, () => undefined, "budget");
  if (abort.aborted) approvals.withdraw(abort.by!);
  else context.teller.waiting([prepared]);
  context.showWaiting();
  const outcome = (await approvals.settled()).get(prepared.callId)!;
  context.showWaiting();
  return outcome.kind;
}
