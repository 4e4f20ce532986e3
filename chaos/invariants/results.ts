import type { Message } from "../../src/agent/messages.ts";
import { toolCallsOf } from "../../src/agent/messages.ts";
import type { Finding, Invariant } from "./invariant.ts";

/** I1: each call has exactly one result, right after its answer, in the order of the calls: as told, and as recorded. */
export const oneResultPerCall: Invariant = {
  name: "I1 results",
  check: ({ sessions }) => {
    let checks = 0;
    const findings: Finding[] = [];
    for (const { id, events, messages } of sessions) {
      const told = events.flatMap(({ message }) => (message ? [message] : []));
      for (const [where, all] of [
        ["told", told],
        ["recorded", messages.map(({ message }) => message)],
      ] as const) {
        const found = pairs(all);
        checks += found.checks;
        findings.push(
          ...found.findings.map(({ harm, text }) => ({ ...(harm ? { harm } : {}), text: `${id} (${where}): ${text}` })),
        );
      }
    }
    return { checks, findings };
  },
};

function pairs(messages: readonly Message[]): { checks: number; findings: Finding[] } {
  const findings: Finding[] = [];
  let checks = 0;
  let due: string[] = [];
  const answered = new Set<string>();
  for (const message of messages) {
    if (message.role === "toolResult") {
      checks += 1;
      const { toolCallId } = message;
      if (answered.has(toolCallId)) findings.push({ harm: "doubled", text: `two results of ${toolCallId}` });
      else if (due[0] !== toolCallId)
        findings.push({ text: `result of ${toolCallId} where ${due[0] ?? "none"} is due` });
      answered.add(toolCallId);
      due = due.filter((one) => one !== toolCallId);
      continue;
    }
    for (const one of due) findings.push({ harm: "lost", text: `no result of ${one}` });
    due =
      message.role === "assistant" && message.stopReason !== "aborted" ? toolCallsOf(message).map(({ id }) => id) : [];
  }
  for (const one of due) findings.push({ harm: "lost", text: `no result of ${one}` });
  return { checks, findings };
}

/** I1, as a strict provider sees it at each request, in the middle of the faults. */
export const requestsPair: Invariant = {
  name: "I1 requests",
  check: ({ model }) => ({
    checks: model.pairingChecks,
    findings: model.pairingFaults.map((text) => ({ text })),
  }),
};
