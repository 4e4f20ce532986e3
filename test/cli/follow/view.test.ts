// Pure unit tests: follow items in, lines out.
import { expect, test } from "vitest";
import { SessionTracker } from "../../../src/cli/follow/tracker.ts";
import { FollowView } from "../../../src/cli/follow/view.ts";
import { type Line, lineWidth, plainText } from "../../../src/cli/text/line.ts";
import type { FollowItem } from "../../../src/client/contract.ts";
import { LiveText } from "../../../src/protocol/live-text.ts";
import { answerMessage, at0, ItemMaker, resultMessage, testApproval } from "../../support/fake-session-client.ts";

function viewer(width: number, options: { piped?: boolean; unicode?: boolean } = {}) {
  const tracker = new SessionTracker(0);
  const look = { width, colour: false, unicode: options.unicode ?? true };
  const view = new FollowView(tracker, () => look, { piped: options.piped ?? false });
  const text = (rows: readonly Line[]): string[] => rows.map(plainText).filter((row) => row !== "");
  return {
    take: (...items: FollowItem[]): string[] =>
      items.flatMap((item) => (tracker.take(item) ? text(view.take(item, at0)) : [])),
    moving: (now = at0): string[] => text(view.moving(now)),
    announce: (now: number): string[] => text(view.announce(now)),
    widest: (): number => Math.max(0, ...view.moving(at0).map(lineWidth)),
  };
}

const bashCall = { toolCallId: "1.1", toolName: "bash", summary: "npm test" };

test("streamed text moves until its message comes, then stands once", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  view.take(make.event({ type: "turn_start", turn: 1 }));
  expect(view.take(make.live("model:1", [{ tail: "Hello **wor" }]))).toEqual([]);
  view.take(make.live("model:1", [{ offset: 11, tail: "ld**" }]));
  expect(view.moving()).toEqual(["Hello world"]);
  expect(view.take(make.message(answerMessage("Hello **world**")))).toEqual(["Hello world"]);
  expect(view.moving()).toEqual([]);
  // A frame that comes after its record shows nothing again.
  view.take(make.live("model:1", [{ tail: "Hello" }]));
  expect(view.moving()).toEqual([]);
});

test("an attempt that failed is replaced by the next, not appended", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  view.take(make.event({ type: "turn_start", turn: 1 }), make.live("model:1", [{ tail: "first try" }]));
  view.take(make.live("model:1", [{ tail: "second" }], { attempt: 2 }));
  view.take(make.live("model:1", [{ offset: 9, tail: " late" }]));
  expect(view.moving()).toEqual(["second"]);
});

test("a blocked turn that goes on streams again under the same number", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  const start = () => make.event({ type: "turn_start", turn: 1 });
  view.take(start(), make.message(answerMessage("cut", { stopReason: "aborted" })), start());
  view.take(make.live("model:1", [{ tail: "again" }]));
  expect(view.moving()).toEqual(["again"]);
});

test("a call is one line while it runs, with five lines of its output, and one when it is done", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  view.take(make.event({ type: "tool_execution_start", ...bashCall }));
  view.take(make.live("1.1", [{ kind: "output", tail: "1\n2\n3\n4\n5\n6\n7\n" }]));
  expect(view.moving(at0 + 3_200)).toEqual([
    "● bash npm test  3s",
    "  … 2 lines above",
    ...[3, 4, 5, 6, 7].map((n) => `  │ ${n}`),
  ]);
  view.take(make.event({ type: "tool_execution_end", ...bashCall, isError: false, durationMs: 3400 }));
  expect(view.moving()).toEqual(["✓ bash npm test  3.4s"]);
  expect(view.take(make.message(resultMessage("bash", "all well"), "1.1"))).toEqual(["✓ bash npm test  3.4s"]);
  expect(view.moving()).toEqual([]);
});

test("a failed command keeps ten lines and its exit code, an edit its diff", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  const output = Array.from({ length: 14 }, (_, index) => `row ${index}`).join("\n");
  const failed = view.take(
    make.event({ type: "tool_execution_start", ...bashCall }),
    make.event({ type: "tool_execution_end", ...bashCall, isError: true, durationMs: 1000 }),
    make.message(resultMessage("bash", output, { isError: true, details: { exitCode: 2 } }), "1.1"),
  );
  expect(failed).toEqual([
    "✗ bash npm test  exit 2 1s",
    "  … 4 lines above",
    ...Array.from({ length: 10 }, (_, i) => `  │ row ${i + 4}`),
  ]);
  const edit = { toolCallId: "2.1", toolName: "edit", summary: "a.ts (+1 −1)" };
  const edited = view.take(
    make.event({ type: "tool_execution_start", ...edit }),
    make.event({ type: "tool_execution_end", ...edit, isError: false, durationMs: 20 }),
    make.message(resultMessage("edit", "ok", { details: { diff: "-a\n+b", added: 1, removed: 1 } }), "2.1"),
  );
  expect(edited).toEqual(["✓ edit a.ts (+1 −1)  20ms", "  -a", "  +b"]);
});

test("a denied call is shown as not run, with who and why", () => {
  const make = new ItemMaker();
  const view = viewer(60, { unicode: false });
  view.take(
    make.event({ type: "tool_execution_start", ...bashCall }),
    make.event({ type: "approval_requested", approval: testApproval() }),
  );
  expect(view.moving()).toEqual(["? bash npm test  waits for you"]);
  const rows = view.take(
    make.event({
      type: "approval_resolved",
      approvalId: testApproval().id,
      toolCallId: "1.1",
      decision: "deny",
      by: "ann@pc",
      reason: "no",
    }),
    make.event({ type: "tool_execution_end", ...bashCall, isError: true, durationMs: 9 }),
    make.message(resultMessage("bash", "denied", { isError: true }), "1.1"),
  );
  expect(rows).toEqual(["- bash npm test  denied by ann@pc: no"]);
});

test("thinking is one dim line, retrying and offline are said", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  view.take(make.live("model:1", [{ kind: "thinking", tail: "first\nsecond thought" }]));
  expect(view.moving()).toEqual(["thinking: second thought"]);
  view.take({
    kind: "retrying",
    what: "model",
    message: "rate limited by api.x.com",
    attempt: 2,
    nextTryAt: at0 + 720_000,
  });
  expect(view.moving().join(" ")).toMatch(/ rate limited by api\.x\.com, next try \d\d:\d\d \(in 12m\) · Esc stops$/);
  view.take({ kind: "offline", offline: true, why: "no worker answers" });
  expect(view.moving().join(" ")).toContain("offline: no worker answers");
});

test.each([20, 60, 120])("nothing that moves is wider than %d columns", (width) => {
  const make = new ItemMaker();
  const view = viewer(width);
  view.take(
    make.event({ type: "tool_execution_start", ...bashCall, summary: "x".repeat(200) }),
    make.live("1.1", [{ kind: "output", tail: `${"日本語".repeat(50)}\n\x1b[2Jx` }]),
    make.live("model:1", [{ tail: "word ".repeat(100) }, { kind: "thinking", tail: "y".repeat(300) }]),
    { kind: "retrying", what: "model", message: "m".repeat(90), attempt: 1 },
  );
  expect(view.widest()).toBeLessThanOrEqual(width);
});

test("piped output is one line per change; the last answer is held back, an earlier one is not", () => {
  const make = new ItemMaker();
  const view = viewer(Number.POSITIVE_INFINITY, { piped: true });
  const rows = view.take(
    make.user("do it"),
    make.event({ type: "tool_execution_start", ...bashCall }),
    make.live("1.1", [{ kind: "output", tail: "much output" }]),
    make.event({ type: "tool_execution_end", ...bashCall, isError: false, durationMs: 100 }),
    make.message(resultMessage("bash", "much output"), "1.1"),
    make.message(answerMessage("first answer")),
    make.user("and more"),
    make.message(answerMessage("last answer")),
  );
  expect(rows).toEqual(["› do it", "✓ bash npm test  0.1s", "first answer", "› and more"]);
});

test("piped output names a call once when it runs for two seconds", () => {
  const make = new ItemMaker();
  const view = viewer(Number.POSITIVE_INFINITY, { piped: true });
  view.take(make.event({ type: "tool_execution_start", ...bashCall }));
  expect([...view.announce(at0 + 1_000), ...view.announce(at0 + 2_000), ...view.announce(at0 + 9_000)]).toEqual([
    "● bash npm test",
  ]);
});

test("events that come twice are shown once", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  const item = make.user("once");
  expect(view.take(item, item)).toEqual(["› once"]);
});

test("live text survives loss: a gap resets to the tail, and says so", () => {
  const live = new LiveText();
  const frame = (offset: number, tail: string, attempt = 1) =>
    live.take({
      type: "frame",
      sessionId: "s",
      source: "model:1",
      attempt,
      seq: 1,
      blocks: [{ index: 0, kind: "text", offset, tail }],
    });
  expect(frame(0, "abc")).toMatchObject([{ delta: "abc", reset: false }]);
  expect(frame(3, "def")).toMatchObject([{ delta: "def", reset: false }]);
  expect(frame(3, "def")).toEqual([]);
  expect(frame(4, "efgh")).toMatchObject([{ delta: "gh", reset: false }]);
  expect(frame(100, "tail")).toMatchObject([{ delta: "tail", reset: true }]);
  expect(frame(0, "new", 2)).toMatchObject([{ delta: "new", reset: true }]);
  expect(frame(0, "old", 1)).toEqual([]);
  expect(live.blocks("model:1")).toEqual([{ kind: "text", text: "new", offset: 0 }]);
});

test.each([true, false])("compaction, notices and gaps are one line each (piped: %s)", (piped) => {
  const make = new ItemMaker();
  const view = viewer(piped ? Number.POSITIVE_INFINITY : 100, { piped });
  expect(view.take(make.event({ type: "compaction_start", tokensBefore: 183_000 }))).toEqual([]);
  expect(view.moving()).toEqual(["compacting the context…"]);
  expect(
    view.take(
      make.event({ type: "compaction_end", tokensBefore: 183_000, tokensAfter: 22_000 }),
      make.event({ type: "compaction_end", tokensBefore: 183_000, errorMessage: "the model is away" }),
      make.event({ type: "notice", text: "a prompt was\nrefused" }),
      { kind: "resync", why: "an older run is gone" },
    ),
  ).toEqual([
    "context compacted: 183k → 22k tokens",
    "compaction failed: the model is away",
    expect.stringMatching(/^· a prompt was.refused$|^· a prompt was.*refused$/),
    "a part is not shown: an older run is gone",
  ]);
  expect(view.moving()).toEqual([]);
});

test("a block is told in sentences, with a command that can be copied", () => {
  const make = new ItemMaker();
  const view = viewer(Number.POSITIVE_INFINITY, { piped: true });
  const block = {
    type: "state_changed",
    state: "blocked",
    cause: "no folder (ENOENT)",
    next: "tempi retry x.",
  } as const;
  expect(view.take(make.event(block))).toEqual(["✗ blocked: no folder (ENOENT). Next: tempi retry x"]);
});

test("a call that a stop kept from beginning is no failure", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  const result = resultMessage("bash", "Not run: ...", {
    isError: true,
    details: { callId: "1.1", settled: "aborted" },
  });
  const rows = view.take(
    make.event({ type: "tool_execution_start", ...bashCall }),
    make.event({ type: "tool_execution_end", ...bashCall, isError: true, durationMs: 5 }),
    make.message(result, "1.1"),
  );
  expect(rows).toEqual(["○ bash npm test  not run"]);
});

test("the check of an answer is a line of its own, and what failed follows it as its tail", () => {
  const make = new ItemMaker();
  const view = viewer(60);
  const check = { toolCallId: "1.until", toolName: "until", summary: "npm test" };
  view.take(make.event({ type: "turn_start", turn: 1 }), make.event({ type: "tool_execution_start", ...check }));
  expect(view.moving()).toEqual(["● until npm test  0s"]);
  const lines = Array.from({ length: 14 }, (_, at) => `line ${at}`).join("\n");
  expect(
    view.take(
      make.event({ type: "tool_execution_end", ...check, isError: true, durationMs: 2_000 }),
      make.message({ role: "user", content: [{ type: "text", text: lines }], source: "until", timestamp: at0 }),
    ),
  ).toEqual([
    "✗ until npm test  2s",
    "  … 4 lines above",
    ...Array.from({ length: 10 }, (_, at) => `  │ line ${at + 4}`),
  ]);
  expect(view.moving()).toEqual([]);
});
