import type { Finding, Invariant } from "./invariant.ts";

/** I8: what asks runs only after it was allowed, each approval is resolved once, and in the end none waits. */
export const approvedBeforeRun: Invariant = {
  name: "I8 approvals",
  check: ({ sessions, effects }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, plan, events, calls, waiting } of sessions) {
      const resolved = new Map<string, { decision: string; seq: number }>();
      for (const { event } of events) {
        if (event.type !== "approval_resolved") continue;
        checks += 1;
        if (resolved.has(event.approvalId))
          findings.push({ harm: "doubled", text: `${id}: ${event.approvalId} resolved twice` });
        resolved.set(event.approvalId, event);
      }
      const allowed = new Set<string>();
      for (const { event } of events) {
        if (event.type !== "approval_requested") continue;
        checks += 1;
        const decision = resolved.get(event.approval.id)?.decision;
        if (decision === undefined)
          findings.push({ harm: "lost", text: `${id}: ${event.approval.id} was never resolved` });
        if (decision === "allow") allowed.add(event.approval.toolCallId);
      }
      if (waiting > 0) findings.push({ harm: "stuck", text: `${id}: ${waiting} approvals wait` });
      if (plan.kind !== "asking") continue;
      for (const { callId, token, tool, outcome } of calls) {
        if (tool === "read") continue;
        checks += 1;
        const ran = outcome === "done" || outcome === "failed" || effects.includes(token);
        if (ran && !allowed.has(callId)) findings.push({ text: `${id} ${token} ran and was not allowed` });
      }
    }
    return { checks, findings };
  },
};

/** I8: what was changed after it was shown does not run, though it was allowed. */
export const onlyWhatWasShown: Invariant = {
  name: "I8 digest",
  check: ({ sessions, decisions }) => {
    const changed = decisions.filter(({ style }) => style === "changedBefore");
    const findings: Finding[] = [];
    for (const { sessionId, toolCallId } of changed) {
      const call = sessions.find(({ id }) => id === sessionId)?.calls.find(({ callId }) => callId === toolCallId);
      if (call?.outcome === "done")
        findings.push({ text: `${sessionId} ${call.token} ran on a file that was changed after it was shown` });
    }
    return { checks: changed.length, findings };
  },
};
