// Each check is shown a run in order, and the same run with one fault: an invariant that never failed proves nothing.
import { expect, it } from "vitest";
import type { Evidence } from "../../chaos/evidence.ts";
import { invariants } from "../../chaos/invariants/all.ts";
import { pairingFault } from "../../chaos/model/pairing.ts";
import { isGood, reportOf } from "../../chaos/report.ts";
import { groupText, outsideFile, ownFile, sessionPlan, sharedFile, slotOf, versionText } from "../../chaos/script.ts";
import { callsOf } from "../../chaos/session-calls.ts";
import type { SessionEvent } from "../../src/agent/events.ts";
import { type AssistantMessage, type Message, noUsage, type ToolCall } from "../../src/agent/messages.ts";
import type { EventItem } from "../../src/client/contract.ts";

const tokens = { bash: "s3p1t0c1", edit: "s3p1t0c2", write: "s3p1t0c3" };
const wire = (token: string): string => `call_${token}`;

/** One session that asks: a prompt, an answer with three calls, three results. */
function conversation(): EventItem[] {
  const call = (name: keyof typeof tokens): ToolCall => ({
    type: "toolCall",
    id: wire(tokens[name]),
    name,
    arguments: {},
  });
  const answer: AssistantMessage = {
    role: "assistant",
    content: [call("bash"), call("edit"), call("write")],
    provider: "chaos",
    model: "chaos-1",
    usage: noUsage(),
    stopReason: "toolUse",
    timestamp: 0,
  };
  const result = (name: keyof typeof tokens): Message => ({
    role: "toolResult",
    toolCallId: wire(tokens[name]),
    toolName: name,
    content: [{ type: "text", text: "done" }],
    isError: false,
    timestamp: 0,
  });
  const items: EventItem[] = [];
  const tell = (event: object, message?: Message) => {
    const whole = { ...event, seq: items.length + 1, at: 1_000 + items.length } as SessionEvent;
    items.push({ kind: "event", event: whole, ...(message ? { message } : {}) });
  };
  const messageEnd = (messageId: string, message: Message) =>
    tell({ type: "message_end", messageId, role: message.role, index: 0 }, message);
  messageEnd("prompt-1", { role: "user", content: [{ type: "text", text: "go" }], timestamp: 0 });
  tell({ type: "turn_start", turn: 1 });
  messageEnd("a-1", answer);
  for (const [at, name] of (["bash", "edit", "write"] as const).entries()) {
    const toolCallId = `1.${at + 1}`;
    tell({ type: "approval_requested", approval: { id: `approval-${at}`, toolCallId } });
    tell({ type: "approval_resolved", approvalId: `approval-${at}`, toolCallId, decision: "allow", by: "me" });
    messageEnd(`r-${name}`, result(name));
  }
  return items;
}

function inOrder(): Evidence {
  const plan = { ...sessionPlan(3), index: 3, kind: "asking" as const, group: 0 };
  const events = conversation();
  const messages = events.flatMap(({ event, message }) =>
    message && event.type === "message_end" ? [{ id: event.messageId, message }] : [],
  );
  const marked = groupText(0, [3]).replace(`${slotOf(3)}\n`, `${slotOf(3)}\nmark ${tokens.edit}\n`);
  return {
    seed: 1,
    sessions: [
      {
        plan,
        id: "abcdef",
        prompts: [{ id: "prompt-1", number: 1, acknowledgedAt: 1 }],
        seen: structuredClone(events.slice(0, 5)),
        resyncs: [],
        events,
        messages,
        calls: callsOf(events),
        queued: 0,
        waiting: 0,
      },
    ],
    faults: [{ number: 1, kind: "killWorker", at: 1_001, liftedAt: 1_001, hit: ["abcdef"] }],
    decisions: [],
    followed: [{ sessionId: "abcdef", garbled: 0, events: events.map(({ event: { seq, type } }) => ({ seq, type })) }],
    effects: [tokens.bash],
    files: new Map([
      [sharedFile(0), marked],
      [ownFile(3), versionText(tokens.write, 3)],
      [outsideFile(3), `${slotOf(3)}\nend\noutside 1\n`],
    ]),
    strayFiles: [],
    outsideLines: [{ file: outsideFile(3), line: "outside 1" }],
    tornReads: [],
    wholeReads: 1,
    model: { pairingChecks: 1, pairingFaults: [], repeated: 1, differing: [], requests: 1, wrongKeys: 0 },
    locks: [{ id: "file-1" }],
    orphans: [],
    processesSeen: 1,
    leaks: [],
    filesScanned: 1,
    forbidden: { before: "x", after: "x", entries: ["untouched"] },
    replays: { checks: 1, faults: [] },
  };
}

it("finds nothing in a run that is in order", () => {
  const report = reportOf(inOrder());
  expect(Object.entries(report.invariants).filter(([, { broken }]) => broken > 0)).toEqual([]);
  expect(isGood(report)).toBe(true);
  expect(report).toMatchObject({ faultsThatHit: 1, recoveryP50Ms: 0, unknown: 0 });
});

it("a run in which nothing hit is not good", () => {
  expect(isGood(reportOf({ ...inOrder(), faults: [] }))).toBe(false);
});

const first = (evidence: Evidence) => evidence.sessions[0]!;
const faults: [name: string, what: string, make: (evidence: Evidence) => void][] = [
  ["I1 results", "two results of a call", (all) => first(all).events.push(first(all).events.at(-1)!)],
  ["I1 results", "a call without result", (all) => first(all).messages.pop()],
  ["I1 requests", "a request that does not pair", (all) => all.model.pairingFaults.push("no result")],
  ["I2 effects", "an effect twice", (all) => all.effects.push(tokens.bash)],
  ["I2 effects", "an effect that was told as done and is not there", (all) => all.effects.pop()],
  ["I2 effects", "an effect of a call that no transcript has", (all) => all.effects.push("s9p9t9c9")],
  [
    "I2 effects",
    "an effect told as not run",
    (all) => {
      first(all).calls[0]!.outcome = "notRun";
    },
  ],
  [
    "I3 unknown",
    "an unknown outcome where nothing struck",
    (all) => {
      Object.assign(first(all).calls[0]!, { outcome: "unknown", startedAt: 9_000, endedAt: 9_001 });
    },
  ],
  [
    "I4 told",
    "an event that was another one",
    (all) => {
      Object.assign(first(all).seen[1]!.event, { turn: 2 });
    },
  ],
  ["I4 told", "a follower that was told that something is missing", (all) => first(all).resyncs.push("gone")],
  ["I4 numbers", "a gap", (all) => first(all).events.splice(1, 1)],
  ["I4 followers", "a line twice", (all) => all.followed[0]!.events.splice(1, 0, all.followed[0]!.events[0]!)],
  ["I4 histories", "a message that the histories do not have", (all) => first(all).messages.splice(0, 1)],
  [
    "I4 prompts",
    "a prompt that was never taken",
    (all) => first(all).prompts.push({ id: "x", number: 2, acknowledgedAt: 2 }),
  ],
  ["I5 whole", "half a file", (all) => all.files.set(ownFile(3), versionText(tokens.write, 3).slice(0, -9))],
  ["I5 whole", "a mixture seen in mid-run", (all) => all.tornReads.push("shared")],
  ["I5 whole", "a temporary file", (all) => all.strayFiles.push(".tempi-1.tmp")],
  ["I5 updates", "an edit that is not there", (all) => all.files.set(sharedFile(0), groupText(0, [3]))],
  ["I5 updates", "an older version of a file", (all) => all.files.set(ownFile(3), versionText("s3p0t0c1", 3))],
  ["I5 others", "another's line", (all) => all.files.set(outsideFile(3), `${slotOf(3)}\nend\n`)],
  [
    "I6 locks",
    "a lock that is held",
    (all) => {
      all.locks[0]!.holder = "1.1";
    },
  ],
  ["I7 processes", "an orphan", (all) => all.orphans.push("12 sleep")],
  [
    "I8 approvals",
    "a call that ran and was denied",
    (all) => {
      const resolved = first(all).events.find(({ event }) => event.type === "approval_resolved")!;
      Object.assign(resolved.event, { decision: "deny" });
    },
  ],
  [
    "I8 approvals",
    "an approval that waits",
    (all) => {
      first(all).waiting = 1;
    },
  ],
  [
    "I8 digest",
    "a call that ran on something else than was shown",
    (all) => all.decisions.push({ sessionId: "abcdef", approvalId: "x", toolCallId: "1.2", style: "changedBefore" }),
  ],
  [
    "I9 rest",
    "a session that stands still",
    (all) => {
      first(all).stuck = "running";
    },
  ],
  ["I10 secrets", "the key in a log", (all) => all.leaks.push("logs/worker.log")],
  ["I11 replay", "a history of other code", (all) => all.replays.faults.push("nondeterminism")],
  ["I12 outside", "a file beside the workspace", (all) => all.forbidden.entries.push("new")],
  ["I14 repeats", "two conversations before one answer", (all) => all.model.differing.push("session 1")],
];

it.each(faults)("%s sees %s", (name, _what, make) => {
  const evidence = inOrder();
  make(evidence);
  expect(reportOf(evidence).invariants[name]!.broken).toBeGreaterThan(0);
});

it("every invariant that checks something was seen to fail", () => {
  const checked = invariants.filter(({ check }) => check(inOrder()).checks > 0);
  const seen = new Set(faults.map(([name]) => name));
  expect(checked.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
});

it("a strict provider refuses results in another order, twice, or missing", () => {
  const calls = { role: "assistant", tool_calls: [{ id: "a" }, { id: "b" }] };
  const result = (id: string) => ({ role: "tool", tool_call_id: id });
  expect(pairingFault([calls, result("a"), result("b")])).toBeUndefined();
  expect(pairingFault([calls, result("b"), result("a")])).toMatch(/"b" stands where that of "a" is due/);
  expect(pairingFault([calls, result("a"), result("a")])).toBeDefined();
  expect(pairingFault([calls, result("a"), { role: "user" }])).toMatch(/without a result: b/);
});
