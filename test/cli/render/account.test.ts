// Pure tests of the account: whose word counts, and which calls count as run.
import { expect, test } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { accountLines } from "../../../src/cli/render/account.ts";
import { plainText } from "../../../src/cli/text/line.ts";
import type { SessionAccount } from "../../../src/client/contract.ts";
import {
  answerMessage,
  at0,
  resultMessage,
  testApproval,
  testState,
  testSummary,
} from "../../support/fake-session-client.ts";

const account = (changes: Partial<SessionAccount> = {}): SessionAccount => ({
  summary: testSummary(),
  messages: [],
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  turns: 1,
  temporalUiPath: "/x",
  ...changes,
});

const textOf = (given: SessionAccount, events: SessionEvent[] = []): string =>
  accountLines(given, events, { width: 100, colour: false, unicode: true }, at0).map(plainText).join("\n");

test.each(["ended", "retrying", "offline"] as const)("%s in the list counts more than what it last said", (state) => {
  const text = textOf(
    account({
      summary: testSummary({ state }),
      live: testState({ state: "waiting", cause: "a call waits", pending: [testApproval()] }),
      cause: "said by the server",
    }),
  );
  expect(text).toContain(`k7f3qd · ${state}: said by the server`);
  expect(text).not.toContain("tempi approve");
  expect(text.includes("waits: bash")).toBe(state !== "ended");
});

test("calls that never ran are no commands", () => {
  const codes = ["denied", "aborted", "length", "tooMany", "gaveUp"];
  const call = (id: string) => ({ type: "toolCall" as const, id, name: "bash", arguments: { command: `make ${id}` } });
  const results = codes.map((settled, at) => ({
    id: settled,
    message: resultMessage("bash", "", { toolCallId: settled, isError: true, details: { callId: `1.${at}`, settled } }),
  }));
  const asked = { id: "a", message: answerMessage("", { content: codes.map(call), stopReason: "toolUse" }) };
  const text = textOf(account({ messages: [asked, ...results] }));
  expect(text).toContain("1 command run, 1 failed");
  expect(text).toContain("make gaveUp");
  expect(textOf(account({ messages: [asked, ...results.slice(0, 4)] }))).not.toContain("command");
});

const resolved = (seq: number, decision: "allow" | "deny" | "withdrawn", by: string): SessionEvent => ({
  type: "approval_resolved",
  approvalId: `${seq}`,
  toolCallId: "1.1",
  decision,
  by,
  seq,
  at: at0,
});

test("a withdrawal is no decision", () => {
  expect(textOf(account(), [resolved(1, "withdrawn", "bob@pc")])).toContain("approvals: 1 withdrawn\n");
  const both = textOf(account(), [resolved(1, "withdrawn", "bob@pc"), resolved(2, "deny", "ann@pc")]);
  expect(both).toContain("approvals: 0 allowed, 1 denied, by ann@pc, 1 withdrawn\n");
  expect(textOf(account())).not.toContain("approvals");
});

test("a scripted model is named as it is given", () => {
  expect(textOf(account({ summary: testSummary({ model: "scripted//tmp/x" }) }))).toContain("scripted:/tmp/x");
});

test("the command that mends a block has no full stop glued to it", () => {
  const summary = testSummary({ state: "blocked" });
  expect(textOf(account({ summary, next: "tempi init." }))).toMatch(/Next: tempi init$/);
});

test("what was allowed for the session stands on one row, with the command that takes it back", () => {
  const rules = ["bash: npm test", "edit: a.ts"].map((text, at) => ({ key: `k${at}`, text, by: "me@here", at: at0 }));
  expect(textOf(account({ live: testState({ rules }) }))).toContain(
    "allowed for this session: 1 bash: npm test · 2 edit: a.ts (tempi set k7f3qd --forget NUMBER)\n",
  );
  expect(textOf(account())).not.toContain("allowed for this session");
});
